// draw.h: what the kernels of cuRAND are told: how many numbers of which kind, and where they go.
#ifndef TOOLKIT_DRAW_H
#define TOOLKIT_DRAW_H

enum { DRAW_STREAMS = 4096, DRAW_MT_WORDS = 624 };
// What is drawn. A NORMAL or LOGNORMAL is a unit of two numbers, where they come in pairs.
enum {
    DRAW_WORD,
    DRAW_LONG,
    DRAW_UNIFORM,
    DRAW_UNIFORM_WIDE,
    DRAW_NORMAL,
    DRAW_NORMAL_WIDE,
    DRAW_LOGNORMAL,
    DRAW_LOGNORMAL_WIDE,
    DRAW_POISSON
};
typedef struct Draw {
    unsigned long long out;    // the address
    unsigned long long units;  // of a quasi-random sequence: numbers of a dimension
    double mean, deviation;    // of POISSON: mean
    int kind;
    unsigned turn;              // of the streams: the one that is next
    unsigned long long offset;  // of a quasi-random sequence: the number that is next
} Draw;
#endif
