# What `cpack` makes (`./dev package`): Debian packages of an ordinary build, an archive of a static one.
#
# The components: `program` is what a user runs, with its manual and documentation; `library` is what a program links;
# `mpi` is the module for mpirun. The Debian package onchip has the first two. The third is onchip-mpi, so that nobody
# else has to install Open MPI. The archive has the first alone: nobody knows where it will be unpacked, so onchip.pc
# could name no prefix.
set(CPACK_PACKAGE_VENDOR "The authors of onchip")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} system)
set(CPACK_PACKAGE_FILE_NAME onchip-${PROJECT_VERSION}-${system})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MAIN_PACKAGE_NAME onchip)
set(CPACK_DEBIAN_MAIN_DESCRIPTION "onchip runs CUDA kernels, given as PTX, on a simulated GPU. It says what
registers, shared memory, caches, TLBs and DRAM did. It needs neither a GPU
nor the CUDA toolkit.")
set(CPACK_DEBIAN_MAIN_PACKAGE_SUGGESTS "gnuplot-nox, libllvm14, onchip-mpi, python3, python3-pandas")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME onchip-mpi)
set(CPACK_DEBIAN_MPI_DESCRIPTION "This is the module that onchip loads when mpirun starts it.")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "onchip (= ${PROJECT_VERSION})")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_MAIN_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package.each.cmake)
set(CPACK_COMPONENTS_ALL program library)
if(TARGET onchip_mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_GENERATOR DEB)
if(ONCHIP_STATIC)
    set(CPACK_GENERATOR TGZ)
endif()
include(CPack)
cpack_add_component(program GROUP main)
cpack_add_component(library GROUP main)
cpack_add_component(mpi GROUP mpi)
cpack_add_component_group(main)
cpack_add_component_group(mpi)
