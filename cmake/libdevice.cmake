# libdevice.10.bc: the device's mathematics as bitcode, made of src/nvvm/libdevice.cu and cuda/include. LLVM 14 reads it
# (src/nvvm), so clang 14 writes it, and libclc's bitcode has to be of that release. Without them there is none.
find_program(ONCHIP_CLANG_14 NAMES clang-14 clang DOC "The clang 14 that compiles the mathematics for libnvvm")
find_file(ONCHIP_LIBCLC nvptx64--nvidiacl.bc PATHS /usr/lib/clc NO_DEFAULT_PATH DOC "libclc's bitcode")
set(have_libdevice FALSE)
if(ONCHIP_CLANG_14 AND ONCHIP_LIBCLC)
    # That both are of the release is tried.
    set(probe ${CMAKE_BINARY_DIR}/libdevice.probe)
    file(WRITE ${probe}.cu "extern \"C\" __attribute__((device)) double f(double x) { return x; }\n")
    set(clang_14 ${ONCHIP_CLANG_14} -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-device-only
        --cuda-gpu-arch=sm_35 -Wno-unknown-cuda-version
        -Xclang -target-feature -Xclang +ptx75 -Xclang -mlink-builtin-bitcode -Xclang ${ONCHIP_LIBCLC})
    execute_process(COMMAND ${ONCHIP_CLANG_14} --version OUTPUT_VARIABLE version ERROR_QUIET)
    execute_process(COMMAND ${clang_14} -emit-llvm -c -o ${probe}.bc ${probe}.cu RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(version MATCHES "clang version 14\\." AND NOT failed)
        set(have_libdevice TRUE)
    endif()
endif()
want(have_libdevice "clang-14 libclc-14"
     "libnvvm.so has no libdevice.10.bc, without which Numba compiles nothing, and there is no libcurand.so")
if(have_libdevice)
    set(libdevice ${CMAKE_BINARY_DIR}/cuda/nvvm/libdevice/libdevice.10.bc)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/cuda/nvvm/libdevice)
    # -ffp-contract=on, as in src/compile/passes.c: what is exact breaks where more is fused.
    add_custom_command(
        OUTPUT ${libdevice}
        COMMAND ${clang_14} -O3 -g0 -std=c++17 -D__NVCC__ -ffp-contract=on -fno-ident
                -isystem ${CMAKE_SOURCE_DIR}/cuda/include -isystem ${CMAKE_BINARY_DIR}/cuda/include
                -include cuda_runtime.h -w -MD -MF ${probe}.d -MT ${libdevice}
                -emit-llvm -c -o ${libdevice} ${CMAKE_SOURCE_DIR}/src/nvvm/libdevice.cu
        DEPENDS ${CMAKE_SOURCE_DIR}/src/nvvm/libdevice.cu
        DEPFILE ${probe}.d
        COMMENT "Compiling libdevice.10.bc"
        VERBATIM)
    add_custom_target(onchip_libdevice ALL DEPENDS ${libdevice})
    add_dependencies(installed onchip_libdevice)
    install(FILES ${libdevice} DESTINATION ${CMAKE_INSTALL_LIBDIR}/onchip/cuda/nvvm/libdevice COMPONENT program)
endif()
