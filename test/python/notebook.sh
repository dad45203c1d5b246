#!/bin/bash
# A notebook that nbconvert runs: a launch at a cell's end shows what limits it, the memory chart and the source. It is
# skipped where nbconvert or a kernel for notebooks isn't installed.
[[ -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
python3 -c 'import nbconvert, ipykernel' 2>/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
export PYTHONPATH=$ONCHIP_SOURCE/python:$ONCHIP_SOURCE/test/python PYTHONDONTWRITEBYTECODE=1 HOME=$work
export ONCHIP_LIBRARY=$ONCHIP_BUILD/libonchip.so
cd "$work" || exit 1
cat >make.py <<'END_OF_PYTHON'
import json
cells = ["import array, onchip\nfrom kernels import SAXPY\n"
         "x, y = array.array('f', range(64)), array.array('f', [1] * 64)",
         "onchip.Device().load(SAXPY)['saxpy'](1, 64, 64, 2, x, y)"]
kernel = {"name": "python3", "display_name": "python3"}
json.dump({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel},
           "cells": [{"cell_type": "code", "id": f"c{k}", "metadata": {}, "source": s, "outputs": [],
                      "execution_count": None} for k, s in enumerate(cells)]}, open("book.ipynb", "w"))
END_OF_PYTHON
python3 make.py
python3 -m nbconvert --to notebook --execute --output ran.ipynb book.ipynb >log 2>&1 || complain "nbconvert: $(<log)"
shown=$(python3 -c 'import json
print("".join(json.load(open("ran.ipynb"))["cells"][1]["outputs"][0]["data"]["text/html"]))') || complain "no HTML"
for text in 'limited by the grid: 1 block for 15 SMs' 'memory chart' 'load of x: 2, 4 sectors each'; do
    [[ $shown == *"$text"* ]] || complain "the cell has no '$text': $shown"
done
exit $bad
