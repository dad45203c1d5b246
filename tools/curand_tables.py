#!/usr/bin/env python3
"""Writes cuda/include/onchip/curand_jumps.h: what curand_kernel.h jumps ahead by.

A jump by n steps of a linear recurrence is x^n modulo its characteristic polynomial P, in powers of one step. XORWOW's
P, over two elements, comes from its output by Berlekamp's and Massey's algorithm; MRG32k3a's two stand in its
definition.

    python3 tools/curand_tables.py >cuda/include/onchip/curand_jumps.h
"""
WORD = 0xFFFFFFFF


def xorwow_bits(n):
    """The lowest bits of Marsaglia's xorwow without its counter ("Xorshift RNGs", 2003)."""
    x, y, z, w, v = 123456789, 362436069, 521288629, 88675123, 5783321
    for _ in range(n):
        t = x ^ (x >> 2)
        x, y, z, w, v = y, z, w, v, (v ^ (v << 4) ^ t ^ (t << 1)) & WORD
        yield v & 1


def minimal_polynomial(bits):
    """Berlekamp and Massey, over two elements; bit k is x^k's coefficient."""
    c, b, length, gap, seen = 1, 1, 0, 1, 0
    for n, bit in enumerate(bits):
        seen = seen << 1 | bit
        if bin(seen & c).count('1') & 1:
            old, c = c, c ^ b << gap
            if 2 * length <= n:
                length, b, gap = n + 1 - length, old, 1
            else:
                gap += 1
        else:
            gap += 1
    return int(bin(c)[2:].zfill(length + 1)[::-1], 2), length


def multiply(a, b, p, degree):
    r = 0
    while b:
        if b & 1:
            r ^= a
        a, b = a << 1, b >> 1
        if a >> degree & 1:
            a ^= p
    return r


def multiply3(a, b, x3, m):
    """Of three coefficients each; x³ is x3."""
    r = [sum(a[i] * b[k - i] for i in range(3) if 0 <= k - i < 3) for k in range(5)]
    for top in (4, 3):
        for i in range(3):
            r[top - 3 + i] += r[top] * x3[i]
        r[top] = 0
    return [v % m for v in r[:3]]


p, degree = minimal_polynomial(xorwow_bits(400))
assert degree == 160
rows, power = [], 2
for exponent in range(67 + 64):
    if exponent < 64 and exponent % 4 == 0 or exponent >= 67 and (exponent - 67) % 4 == 0:
        g = 1
        for digit in range(1, 16):
            g = multiply(g, power, p, degree)
            rows.append('{' + ', '.join('0x%08x' % (g >> 32 * k & WORD) for k in range(5)) + '}')
    power = multiply(power, power, p, degree)
print('''// curand_jumps.h: written by tools/curand_tables.py.
#ifndef ONCHIP_CURAND_JUMPS_H
#define ONCHIP_CURAND_JUMPS_H
// [0][k][d - 1]: x^(d·16^k) modulo the characteristic polynomial of XORWOW's five words; [1]: x^(d·16^k·2^67)
static __device__ const unsigned onchip_xorwow_jumps[2][16][15][5] = {''')
for half in range(2):
    print('    {')
    for k in range(16):
        print('        {', end='')
        print((',\n         ').join(rows[(half * 16 + k) * 15:][:15]) + '},')
    print('    },')
print('};')
print('// x^(2^76) and x^(2^127) modulo the characteristic polynomials of MRG32k3a\'s two recurrences')
for name, x3, m in (('1', [-810728, 1403580, 0], 2**32 - 209), ('2', [-1370589, 0, 527612], 2**32 - 22853)):
    g = [0, 1, 0]
    for exponent in range(1, 128):
        g = multiply3(g, g, x3, m)
        if exponent in (76, 127):
            print('#define ONCHIP_MRG_%s_2_%d %s' % (name, exponent, ', '.join('%du' % v for v in g)))
print('#endif')
