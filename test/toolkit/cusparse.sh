#!/bin/bash
# cuSPARSE's functions against plain loops (sparse.cu): of all formats, types and operations, executed; a few, timed.
source "$ONCHIP_SOURCE/test/toolkit/library.bash"
library sparse cusparse 20 -O0
verdict
