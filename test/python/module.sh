#!/bin/bash
# Python's module without any package (python3 -S); and its frames, where numpy and pandas are there.
[[ -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
command -v python3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
export PYTHONPATH=$ONCHIP_SOURCE/python:$ONCHIP_SOURCE/test/python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
export ONCHIP_LIBRARY=$ONCHIP_BUILD/libonchip.so
cd "$work" || exit 1
"$ONCHIP" show ptx saxpy >saxpy.ptx
timeout 100 python3 -S "$ONCHIP_SOURCE/test/python/plain.py" -q || complain "without packages: plain.py fails"
timeout 100 python3 -S "$ONCHIP_SOURCE/test/python/reports.py" -q || complain "without packages: reports.py fails"
if python3 -c 'import numpy, pandas' 2>/dev/null; then
    timeout 100 python3 "$ONCHIP_SOURCE/test/python/packages.py" -q ||
        complain "with numpy and pandas: packages.py fails"
fi
# The example of doc/use/python.md, with examples/saxpy.ptx.
cp "$ONCHIP_SOURCE/examples/saxpy.ptx" saxpy.ptx
awk '/^```python$/ { on = 1; next } /^```$/ { if (on) exit } on' "$ONCHIP_SOURCE/doc/use/python.md" >example.py
printed=$(python3 -S example.py)
[[ $printed == '[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]'$'\n''True 2 1' ]] ||
    complain 'the example prints something else'
exit $bad
