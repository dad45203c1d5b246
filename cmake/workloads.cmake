# Workloads, GPU descriptions and other texts, built into the library and the program.
#
# A workload is a pair workloads/<suite>/<name>.cu (device code) and <name>.c (host code, which defines `const Workload
# workload_<suite>_<name>`). The .cu becomes PTX with nothing but clang: no CUDA toolkit is needed. Where the PTX of
# another compiler is kept beside it (tools/nvcc_ptx.sh), that is taken. The PTX, the registry of the pairs
# (workloads.gen.c) and the texts (gpus.gen.c, …) become C through tools/embed.c.
#
# A .cu is compiled for sm_35. A line "// ptx: 8.0 sm_90a" in it says that its inline assembly needs more: it is then
# compiled for sm_80, the newest that clang 14 knows well, and its PTX gets this version and target.

add_executable(embed tools/embed.c)
set_target_properties(embed PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
target_compile_options(embed PRIVATE -std=c17 -Wall -Wextra)
target_compile_definitions(embed PRIVATE _GNU_SOURCE)

# --- device code → PTX ------------------------------------------------------------------------------------------------
file(GLOB kernels RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS workloads/*/*.cu)
file(GLOB hosts RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS workloads/*/*.c)

# -g1 gives .loc and .file; the prefix map makes their paths, and so the PTX, the same in any checkout. What is left of
# the compilation folder, "./", is cut off so that reports say workloads/….
# What follows the two are options of clang.
function(compile_to_ptx kernel ptx)
    cmake_path(GET ptx PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    set(arch sm_35)
    set(retarget)
    file(STRINGS ${CMAKE_SOURCE_DIR}/${kernel} line REGEX "^// ptx: [0-9.]+ sm_[0-9a-z]+$" LIMIT_COUNT 1)
    if(line MATCHES "ptx: ([0-9.]+) (.*)")
        set(arch sm_80)
        set(retarget -e "s/^\\.version .*/.version ${CMAKE_MATCH_1}/" -e "s/^\\.target .*/.target ${CMAKE_MATCH_2}/")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${kernel})
    endif()
    add_custom_command(
        OUTPUT ${ptx}
        COMMAND ${ONCHIP_CUDA_CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib -Wno-unknown-cuda-version
                --cuda-gpu-arch=${arch} -O3 -g1 -std=c++17 -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
                -fdebug-compilation-dir=. -I ${CMAKE_SOURCE_DIR}/workloads ${ARGN} -MMD -MF ${ptx}.d -MT ${ptx}
                -S ${CMAKE_SOURCE_DIR}/${kernel} -o ${ptx}
        COMMAND sed -i -e "/\\.file/s,\"\\./,\"," ${retarget} ${ptx}
        DEPENDS ${CMAKE_SOURCE_DIR}/${kernel}
        DEPFILE ${ptx}.d
        COMMENT "PTX ${kernel}"
        VERBATIM)
endfunction()

set(embed_arguments)
set(ptx_files)
foreach(kernel ${kernels})
    string(REGEX REPLACE "\\.cu$" ".c" host ${kernel})
    if(NOT host IN_LIST hosts)
        message(WARNING "${kernel} has no ${host} beside it: left out")
        continue()
    endif()
    string(REGEX REPLACE "\\.cu$" ".ptx" kept ${CMAKE_SOURCE_DIR}/${kernel})
    if(EXISTS ${kept})
        set(ptx ${kept})
    else()
        string(REGEX REPLACE "\\.cu$" ".ptx" ptx ${CMAKE_BINARY_DIR}/${kernel})
        compile_to_ptx(${kernel} ${ptx})
    endif()
    list(APPEND sources ${CMAKE_SOURCE_DIR}/${host})
    list(APPEND ptx_files ${ptx})
    string(REGEX REPLACE "^workloads/(.*)\\.cu$" "\\1" name ${kernel})
    string(MAKE_C_IDENTIFIER ${name} symbol)
    list(APPEND embed_arguments ${symbol}=${ptx})
endforeach()

add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/workloads.gen.c
    COMMAND embed workloads ${CMAKE_BINARY_DIR}/workloads.gen.c ${embed_arguments}
    DEPENDS embed ${ptx_files}
    COMMENT "Embedding the workloads' PTX"
    VERBATIM)
list(APPEND sources ${CMAKE_BINARY_DIR}/workloads.gen.c)

# --- texts: GPU descriptions, the results store's schema, reproductions, the report's page ----------------------------
# embed_texts(LIST KIND FOLDER PATTERN …): the files of FOLDER that match, named by their path in it without the ending,
# become the table that tools/embed.c knows as KIND, a source file more in LIST.
function(embed_texts list kind folder)
    list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE patterns)
    file(GLOB files RELATIVE ${CMAKE_SOURCE_DIR}/${folder} CONFIGURE_DEPENDS ${patterns})
    set(arguments)
    set(paths)
    foreach(file ${files})
        string(REGEX REPLACE "\\.[a-z]+$" "" name ${file})
        list(APPEND arguments ${name}=${CMAKE_SOURCE_DIR}/${folder}/${file})
        list(APPEND paths ${CMAKE_SOURCE_DIR}/${folder}/${file})
    endforeach()
    add_custom_command(
        OUTPUT ${CMAKE_BINARY_DIR}/${kind}.gen.c
        COMMAND embed ${kind} ${CMAKE_BINARY_DIR}/${kind}.gen.c ${arguments}
        DEPENDS embed ${paths}
        COMMENT "Embedding ${folder}"
        VERBATIM)
    set(${list} ${${list}} ${CMAKE_BINARY_DIR}/${kind}.gen.c PARENT_SCOPE)
endfunction()
embed_texts(sources gpus gpus *.ini)
embed_texts(program_sources schema src/store/schema *.sql)
embed_texts(program_sources reproduce reproduce */*.ini */*.tsv)
embed_texts(program_sources points doc/results/measurements measured.csv)
embed_texts(program_sources page src/figure/page *)
embed_texts(program_sources completion src/cli/completion *)
embed_texts(program_sources course course *.cu)
