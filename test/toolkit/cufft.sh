#!/bin/bash
# cuFFT's transforms are those of the definition (fft.cu): of all types, ranks and layouts, executed; a few, timed.
source "$ONCHIP_SOURCE/test/toolkit/library.bash"
library fft cufft 12 -O2
verdict
