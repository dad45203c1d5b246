// line.h: what the kernels of cuFFT are told, which compute Fourier transforms of many lines at once.
//
// A launch may transform a part of a line's positions at a time: point k of `points` is at position
// k·step + Σ index·inner, for the indices of the inner dimensions. The outer dimensions lead from line to line. So a
// position's element is at position·stride + Σ index·outer, on each side. The indices come from the number of the
// transform, the first fastest.
#ifndef TOOLKIT_LINE_H
#define TOOLKIT_LINE_H

enum { LINE_STAGES = 12, LINE_INNER = 3, LINE_OUTER = 3, LINE_DIMS = LINE_INNER + LINE_OUTER, LINE_MOST = 64 };
enum { LINE_COMPLEX, LINE_REAL, LINE_HALF };  // HALF: of a real line's spectrum, what isn't the mirror of the rest

typedef struct LineSide {
    unsigned long long at;      // the address
    unsigned long long factor;  // of a table of factors, by position; 0: none
    long long step, stride, inner[LINE_INNER], outer[LINE_OUTER];
    long long whole;  // positions of a HALF with its mirror
    long long count;  // positions from here on are 0, and aren't stored
    int kind;
    int across;          // neighbouring threads take neighbouring lines, not points
    int conjugate;       // in front of the factor
    int conjugate_last;  // behind it; of the outer side alone
} LineSide;
typedef struct Lines {
    LineSide in, out;
    unsigned long long roots;      // e^(-2πik/points)
    unsigned long long low, high;  // of W = e^(-2πi/positions): W^j for j below 1024, and W^(1024·j); 0: no twiddles
    long long lines, size[LINE_DIMS];
    long long turn;  // a result is multiplied by W^(k · first index · turn)
    int points, together, stages;
    unsigned char radix[LINE_STAGES];  // their product is `points`
} Lines;
#endif
