#!/bin/bash
# kill.sh, often.
exec bash "$ONCHIP_SOURCE/test/lab/kill.sh" 100
