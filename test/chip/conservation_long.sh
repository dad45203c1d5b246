#!/bin/bash
# chip/conservation with every scheduler on every GPU for every workload.
set -euo pipefail
exec bash "$(dirname "$0")/conservation.sh" 1
