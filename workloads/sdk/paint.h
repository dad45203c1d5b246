// paint.h: pictures for the workloads that have one: the SDK's photographs aren't there.
#ifndef WORKLOADS_SDK_PAINT_H
#define WORKLOADS_SDK_PAINT_H

#include "../host.h"

// Squares of 8x8 pixels of random colours, with some noise; channels bytes a pixel, pitch bytes a row.
static inline uint8_t *paint(Work *work, int64_t width, int64_t height, int64_t channels, int64_t pitch)
{
    const int64_t across = (width + 7) / 8 * channels;
    uint8_t *picture = work_host(work, (size_t)(pitch * height));
    uint8_t *squares = work_host(work, (size_t)(across * ((height + 7) / 8)));
    for (int64_t y = 0; work_ok(work) && y < height; y++)
        for (int64_t x = 0; x < width * channels; x++) {
            uint8_t *square = squares + y / 8 * across + x / channels / 8 * channels + x % channels;
            if (y % 8 == 0 && x / channels % 8 == 0) *square = (uint8_t)(work_random(work) % 224);
            picture[y * pitch + x] = (uint8_t)(*square + work_random(work) % 32);
        }
    return picture;
}

#endif
