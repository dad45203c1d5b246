// front.c: libcudart.so.11.0, .12 and .13, as programs of these versions of CUDA find them. Each of the runtime's
// functions is in libcuda.so.1 (src/cudart), which has what a process knows of its GPU, so that the runtime and the
// driver are of one mind. Here each has the name and the symbol version that programs ask for, and jumps there.
//
// front.def is made of the runtime's object files (cmake/front.cmake): FRONT(name), and OLDER(name) for what CUDA 13
// doesn't have any more.
#if defined __x86_64__
#define JUMP(name) "jmp *onchip_" #name "@GOTPCREL(%rip)\n"
#elif defined __aarch64__
#define JUMP(name) "adrp x16, :got:onchip_" #name "\nldr x16, [x16, :got_lo12:onchip_" #name "]\nbr x16\n"
#else
#error "front.c needs this processor's jump to a function of another library"
#endif
#define FRONT(name) __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ": " JUMP(name));
#if CUDART_MAJOR < 13
#define OLDER(name) FRONT(name)
#else
#define OLDER(name)
#endif
#include "front/front.def"

// Structures of one name differ between versions. The library that a program asks for says which it means.
void onchip_runtime_is(int major);
__attribute__((constructor)) static void tell(void) { onchip_runtime_is(CUDART_MAJOR); }
