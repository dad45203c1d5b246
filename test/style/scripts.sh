#!/bin/bash
# No script writes into `grep -q`. It ends at the first match; what is still writing then is ended by SIGPIPE, which
# `set -o pipefail` takes for a failure: now and then, and more often on a busy machine.
cd "$ONCHIP_SOURCE" || exit 1
if grep -rnE --include='*.sh' --include='*.bash' '^[^#]*[^|#][|] *grep +-[a-zA-Z]*q' test tools dev; then
    echo "write grep -q … <<<\"\$(command)\""
    exit 1
fi
