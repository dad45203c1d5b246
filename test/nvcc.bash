# nvcc.bash: NVIDIA's compiler, where it is: $nvcc, and $toolkit, the folder that has its include/ and lib64/. What goes
# by that name on PATH may be a link or a script in another folder, so the compiler is asked where its toolkit is.
nvcc=$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" || true) toolkit=
[[ ! -x $nvcc ]] || toolkit=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
