#!/bin/bash
# A workload whose data give it nothing to launch is reported all the same: one document has no pair to compare.
source test/cli/expect.bash
card=gtx480
for option in "" --functional --check; do
    gives 0 'ss documents=1' 'on gtx480: the result is right' 'simulated in' -- run ss documents=1 $option
done
gives 0 '"verified": true' '"kernels": []' -- run ss documents=1 --json
exit $bad
