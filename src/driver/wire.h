// wire.h: what a CUDA program and onchip say to each other. The program's process has our libcudart (src/cudart), which
// knows nothing of GPUs. It asks onchip's process (src/serve), which has the device, and waits for the answer.
//
// A process of the program connects to a socket of Unix's abstract namespace, whose name its environment has. onchip
// sends a greeting, and with it the descriptor of a file: the device's memory. Both sides map it, so that its contents
// don't pass through the socket. Then calls and answers follow one another. Both sides are of one build, so structs
// cross as they lie in memory.
//
// The program is a stranger's: onchip believes none of its numbers, and a program may ask anything in any order.
#ifndef DRIVER_WIRE_H
#define DRIVER_WIRE_H

#include <stdint.h>

#define WIRE_VARIABLE "ONCHIP_WIRE"  // in the program's environment: the socket's name
// In its environment: where the device's memory will be mapped, two numbers in hexadecimal, the address and the bytes.
#define ROOM_VARIABLE "ONCHIP_ROOM"
// In the environment of every process of the program: a file, to which each adds a line for a file that it opens, "r"
// or "w" and the full name, and for its executable and libraries. A file of OPENED_MOST bytes may lack some.
#define OPENED_VARIABLE "ONCHIP_OPENED"
enum { OPENED_MOST = 16 << 20 };
// In its environment: which clock the program reads, CLOCK_SIMULATED or CLOCK_HOST; else each process decides
// (cudart/clock.c).
#define CLOCK_VARIABLE "ONCHIP_CLOCK"
#define CLOCK_SIMULATED "simulated"
#define CLOCK_HOST "host"
enum { WIRE_VERSION = 12 };
enum { WIRE_TEXT = 256 << 20 };  // the most bytes of text, as of a PTX file

typedef enum Ask {
#define ASK(name, what) ASK_##name,
#include "driver/calls.def"
#undef ASK
    ASKS
} Ask;

enum {                  // flags
    WIRE_WAITS = 1,     // the program's call returns when what is asked for is done: a copy; of FREE, all work
    WIRE_MORE = 2,      // it goes on with the copy or the fill of the call before
    WIRE_GIVES_UP = 4,  // what the call waits for won't come (WIRE_HELD)
    // Which clocks the program has read, simulated time and the host's:
    WIRE_READ_SIMULATED = 8,
    WIRE_READ_HOST = 16
};
// An answer that is none: what comes before this call in its stream waits for a value that isn't there. The call is
// made again, since another thread or process may write the value; a: how many processes there are beside this one.
enum { WIRE_HELD = -1 };
enum { WIRE_COMPARISON = 3, WIRE_PUTS = 4, WIRE_LONG = 8, WIRE_ALL_VALUES = 15 };  // calls.def, VALUE
typedef struct WireCall {
    uint32_t ask, flags;  // an Ask
    uint64_t bytes;       // of the text that follows
    uint64_t a, b, c, d;
} WireCall;
typedef struct WireAnswer {
    int32_t error;     // a cudaError_t; 0: none
    uint32_t printed;  // kernels have printed something (ASK_PRINTED)
    uint64_t bytes;    // of the text that follows
    uint64_t a, b;
    double now;  // the host's clock in simulated seconds (device/timeline.c)
} WireAnswer;

typedef struct WireDevice {
    char name[64];
    uint32_t sms, capability, engines, threads, blocks;  // the last two: of an SM, at most
    uint32_t registers, shared_sm, shared_block;         // of an SM; bytes
    uint32_t l2, clock_khz, memory_khz, bus;             // bytes; bits of the memory's bus
    uint32_t target, target_kind;                        // the only one whose PTX is taken (fatbin.h); 0: any
} WireDevice;
typedef struct WireGreeting {
    uint32_t version, reserved;
    uint64_t base, capacity;  // where the device's memory begins, and its bytes
    uint64_t later;           // bytes of addresses behind it, which get memory later
    double now;               // as that of an answer
    WireDevice device;
} WireGreeting;
typedef struct WireKernel {
    uint32_t params, param_bytes;
    uint32_t registers, shared, local, constant, max_threads;
    uint32_t capability;  // of the PTX' target
    uint32_t cluster[3];  // blocks, as the PTX says; 0: it doesn't
} WireKernel;
typedef struct WireParam {
    uint32_t at, bytes;
} WireParam;
// A texture, a surface or what a reference is bound to: of an array, or of rows of memory. Behind it come its levels
// but the first. height 0: one row; depth, layers 0: it hasn't any. Numbers count as the enums of CUDA do that are
// named.
typedef struct WireLevel {
    uint64_t base, pitch, slice;  // slice: bytes from slice to slice
} WireLevel;
typedef struct WireTexture {
    uint64_t width, height, depth, layers;  // texels
    WireLevel first;
    uint32_t levels, channels, bits, kind;    // bits of a channel; cudaChannelFormatKind
    uint32_t address[3];                      // cudaTextureAddressMode
    uint32_t cube, linear, normalized, unit;  // 1: filtered; coordinates in [0, 1); read as floats up to 1
    uint32_t srgb, linear_levels;
    float bias, least, most, border[4];
    uint32_t name;  // of a reference: bytes of its name, which comes last
} WireTexture;
typedef struct WireLaunch {
    uint32_t grid[3], block[3], shared;
    uint32_t cooperative;  // 1: blocks may wait for one another
    uint32_t cluster[3];   // blocks; 0: as the kernel's PTX says
    uint32_t large;        // 1: a cluster may have more than 8 blocks
} WireLaunch;

#endif
