#!/bin/bash
# A wheel, installed by pip into a clean environment without a network, runs a kernel, a workload and CUDA source there,
# without the source tree: its build folder and the module's folder aren't in any variable.
[[ -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
python3 -c 'import setuptools, wheel, venv, ensurepip' 2>/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
made=$(bash "$ONCHIP_SOURCE/python/wheel.sh" "$ONCHIP_BUILD" wheels) || { complain "wheel.sh fails: $made"; exit 1; }
version=$(sed -n 's/^project(onchip VERSION \([0-9.]*\) .*/\1/p' "$ONCHIP_SOURCE/CMakeLists.txt")
[[ $made == "$work"/wheels/onchip-"$version"-py3-none-linux_*.whl && -s $made ]] || complain "the wheel is $made"
clean() { env -i PATH=/usr/bin:/bin HOME="$work" LANG=C.UTF-8 ${LD_PRELOAD:+LD_PRELOAD="$LD_PRELOAD"} "$@"; }
python3 -m venv bare || { complain 'no environment'; exit 1; }
clean bare/bin/pip install -q --no-index --no-deps --disable-pip-version-check "$made" >log 2>&1 ||
    { complain "pip: $(<log)"; exit 1; }
"$ONCHIP" show ptx saxpy >saxpy.ptx
cat >use.py <<'END_OF_PYTHON'
import array, os, sys
import onchip
from onchip import _library
x, y = array.array("f", range(64)), array.array("f", [1] * 64)
with onchip.Device() as d:
    launch = d.load("saxpy.ptx")["saxpy"](1, 64, 64, 2, x, y)
print(list(y) == [2 * i + 1 for i in range(64)], launch["global.loads"], onchip.__version__)
print(onchip.run("vectoradd", options={"size": "small"})["verified"])
inside = os.path.dirname(onchip.__file__)
print(inside.startswith(sys.prefix), _library._library()._name.startswith(inside),
      _library._executable().startswith(inside), os.path.exists(os.path.join(inside, "py.typed")))
END_OF_PYTHON
printed=$(clean bare/bin/python use.py 2>&1)
[[ $printed == "True 4 $version"$'\nTrue\nTrue True True True' ]] || complain "the module prints $printed"
if command -v clang-16 >/dev/null; then
    cat >twice.cu <<'END_OF_CUDA'
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
END_OF_CUDA
    printed=$(clean bare/bin/python - 2>&1 <<'END_OF_PYTHON'
import array, onchip
p = array.array("i", range(32))
with onchip.Device() as d:
    d.load("twice.cu")["twice"](1, 32, p)
print(list(p) == [2 * i for i in range(32)])
END_OF_PYTHON
    )
    [[ $printed == True ]] || complain "CUDA source: $printed"
fi
exit $bad
