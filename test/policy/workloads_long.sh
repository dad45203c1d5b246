#!/bin/bash
# workloads.sh, each run on 1, 2 and 7 threads.
ALL=yes exec bash "${ONCHIP_SOURCE:-.}/test/policy/workloads.sh"
