# Stand-ins for the libraries that programs bring along with CUDA (src/toolkit): each is one of the vendor's shared
# libraries, in the versions that programs ask for, with kernels of ours inside.

# toolkit_kernels(NAME [OPTIONS …]): sets `table` to the source file that has the PTX of src/toolkit/kernels/NAME/*.cu,
# compiled with these options of clang; to nothing if there are none.
function(toolkit_kernels name)
    cmake_parse_arguments(PARSE_ARGV 1 with "" "" OPTIONS)
    file(GLOB kernels RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS src/toolkit/kernels/${name}/*.cu)
    set(arguments)
    set(texts)
    foreach(kernel ${kernels})
        string(REGEX REPLACE "\\.cu$" ".ptx" ptx ${CMAKE_BINARY_DIR}/${kernel})
        compile_to_ptx(${kernel} ${ptx} -D__NVCC__ -ffp-contract=on -isystem ${CMAKE_SOURCE_DIR}/cuda/include
                       -isystem ${CMAKE_BINARY_DIR}/cuda/include -include cuda_runtime.h ${with_OPTIONS})
        cmake_path(GET kernel STEM stem)
        list(APPEND arguments ${stem}=${ptx})
        list(APPEND texts ${ptx})
    endforeach()
    set(table)
    if(texts)
        set(table ${CMAKE_BINARY_DIR}/${name}.gen.c)
        add_custom_command(OUTPUT ${table} COMMAND embed kernels ${table} ${arguments} DEPENDS embed ${texts}
                           COMMENT "Embedding the kernels of ${name}" VERBATIM)
    endif()
    set(table ${table} PARENT_SCOPE)
endfunction()

# toolkit_library(NAME VERSIONS [INSIDE OTHER] [OPTIONS …]): libNAME.so.VERSION of src/toolkit/NAME_*.c and NAME.c, over
# its kernels. It exports NAME's functions under the symbol version libNAME.so.VERSION. INSIDE: it has the sources and
# the kernels of another library inside, in place of kernels of its own. OPTIONS: of clang, for its kernels.
function(toolkit_library name versions)
    cmake_parse_arguments(PARSE_ARGV 2 with "" INSIDE OPTIONS)
    file(GLOB sources CONFIGURE_DEPENDS src/toolkit/${name}.c src/toolkit/${name}_*.c)
    if(with_INSIDE)
        set(table ${CMAKE_BINARY_DIR}/${with_INSIDE}.gen.c)
        file(GLOB more CONFIGURE_DEPENDS src/toolkit/${with_INSIDE}.c src/toolkit/${with_INSIDE}_*.c)
        list(APPEND sources ${more})
    else()
        toolkit_kernels(${name} OPTIONS ${with_OPTIONS})
    endif()
    if(table)
        list(APPEND sources ${CMAKE_SOURCE_DIR}/src/toolkit/kernels.c ${table})
    endif()
    add_library(onchip_${name}_objects OBJECT ${sources})
    if(with_INSIDE)
        add_dependencies(onchip_${name}_objects onchip_${with_INSIDE}_objects)  # which makes the table
    endif()
    target_link_libraries(onchip_${name}_objects PRIVATE onchip_flags)
    target_include_directories(onchip_${name}_objects PRIVATE ${CMAKE_SOURCE_DIR}/cuda/include
                               ${CMAKE_BINARY_DIR}/cuda/include)
    set(lib64 ${CMAKE_BINARY_DIR}/cuda/lib64)
    foreach(version ${versions})
        string(REGEX REPLACE "\\..*" "" major ${version})
        set(target onchip_${name}${major})
        set(exports ${CMAKE_BINARY_DIR}/${name}${major}.map)
        file(CONFIGURE OUTPUT ${exports}
             CONTENT "lib${name}.so.${version} {\n    global: ${name}*;\n    local: *;\n};\n")
        add_library(${target} SHARED $<TARGET_OBJECTS:onchip_${name}_objects>)
        target_link_libraries(${target} PRIVATE onchip_flags onchip onchip_cuda)
        target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic-functions -Wl,--as-needed)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .so.${version} LINK_DEPENDS ${exports}
                              BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
                              LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda)
        install_target(${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/onchip/cuda COMPONENT program)
    endforeach()
    # -lNAME, and the name without a version, mean that of CUDA 12, as our headers do.
    list(GET versions 0 linked)
    link_file(lib${name}.so.${linked} lib${name}.so)
    link_file(../lib${name}.so.${linked} lib64/lib${name}.so)
    install(FILES ${CMAKE_BINARY_DIR}/cuda/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/onchip/cuda
            COMPONENT program)
    install(FILES ${lib64}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/onchip/cuda/lib64 COMPONENT program)
endfunction()

toolkit_library(cublas "12;13;11")
toolkit_library(cublasLt "12;13;11" INSIDE cublas)
toolkit_library(nvrtc "12;13;11.2")
toolkit_library(cufft "11;12;10")
toolkit_library(cusparse "12;11")
# Its kernels need logarithms and the like, which are libclc's.
if(have_libdevice)
    toolkit_library(curand "10" OPTIONS -Xclang -mlink-builtin-bitcode -Xclang ${ONCHIP_LIBCLC} -Wno-linker-warnings)
endif()
