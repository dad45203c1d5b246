# What the build needs of the system. Everything that is missing is told at once, with the Debian package it is in.

# need(VARIABLE WHAT PACKAGE): there is no build without WHAT; VARIABLE is false where it wasn't found.
set(needed)
set(needed_packages)
macro(need variable what package)
    if(NOT ${variable})
        string(APPEND needed "  ${what} (Debian: ${package})\n")
        list(APPEND needed_packages ${package})
    endif()
endmacro()

# want(VARIABLE PACKAGE [WITHOUT]): the build is the poorer without it; WITHOUT says how, as a warning.
# What is missing is kept, so that ./dev looks again at the next build.
set(ONCHIP_MISSING "" CACHE INTERNAL "Packages that weren't found and that the build does without")
macro(want variable package)
    if(NOT ${variable})
        set(ONCHIP_MISSING ${ONCHIP_MISSING} ${package} CACHE INTERNAL "")
        if(${ARGC} GREATER 2)
            message(WARNING "${package} isn't installed: ${ARGV2}. `./dev setup` installs it.")
        endif()
    endif()
endmacro()

find_path(ONCHIP_UTHASH uthash.h DOC "Where uthash.h is")
find_path(ONCHIP_XXHASH xxhash.h DOC "Where xxhash.h is")
# The archives first: to load the shared libraries, which most commands don't need, takes longer than a small launch.
find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3 DOC "libsqlite3")
find_package(SQLite3 QUIET)
find_path(ONCHIP_PCRE2 pcre2.h DOC "Where pcre2.h is")
find_library(ONCHIP_PCRE2_LIBRARY NAMES libpcre2-8.a pcre2-8 DOC "libpcre2-8")
set(have_pcre2 FALSE)
if(ONCHIP_PCRE2 AND ONCHIP_PCRE2_LIBRARY)
    set(have_pcre2 TRUE)
endif()
find_program(ONCHIP_CUDA_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14
             DOC "The clang that compiles workloads/*/*.cu to PTX")
need(ONCHIP_UTHASH "uthash.h, hash tables" uthash-dev)
need(ONCHIP_XXHASH "xxhash.h, hashes" libxxhash-dev)
need(SQLite3_FOUND "sqlite3.h and libsqlite3, the program's results store" libsqlite3-dev)
need(have_pcre2 "pcre2.h and libpcre2-8, the program's regular expressions" libpcre2-dev)
need(ONCHIP_CUDA_CLANG "clang, which compiles the workloads' device code" clang)
if(needed)
    list(JOIN needed_packages " " packages)
    # Indented lines aren't wrapped.
    message(FATAL_ERROR "These weren't found:\n${needed}On Debian `./dev setup` installs them, as does:\n"
            "  apt install ${packages}\n")
endif()
