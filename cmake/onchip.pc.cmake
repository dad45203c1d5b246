# Writes onchip.pc where it is installed. Its directories are absolute: a program keeps ${libdir} as its path to the
# shared library (-rpath), so that it runs from any prefix without ldconfig and without LD_LIBRARY_PATH. Paths in terms
# of ${pcfiledir} would follow an installation that is moved, but the program would still have the old path;
# `pkg-config --define-prefix` follows it too.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE)
set(installed ${CMAKE_INSTALL_LIBDIR})
cmake_path(ABSOLUTE_PATH installed BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
foreach(directory CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
    if(NOT IS_ABSOLUTE "${${directory}}")
        set(${directory} "\${prefix}/${${directory}}")
    endif()
endforeach()
set(file $ENV{DESTDIR}${installed}/pkgconfig/onchip.pc)
message(STATUS "Installing: ${file}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/onchip.pc.in ${file} @ONLY)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${file})
