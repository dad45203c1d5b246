#!/bin/bash
# cuRAND's numbers are distributed as they should be, in sequences that go on (random.cu).
source "$ONCHIP_SOURCE/test/toolkit/library.bash"
library random curand 2048 -O1
verdict
