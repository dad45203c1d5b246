#!/bin/bash
# A CUDA program that a C compiler alone has built (app.c) runs on the simulated GPU: its output is what CUDA's
# documents say, its exit status is its own, and the report comes on the standard error. Numbers are counted by hand.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
card=gtx480
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a sanitizer wants to be in the program, too
now=cc
cc -std=gnu17 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/cudart/app.c" -o app "$ONCHIP_BUILD/cuda/libcudart.so.13" ||
    exit 1

run ./app fill
ends 7
prints <<<'0 wrong'
says './app fill on gtx480' 'fill grid 16×1×1, block 64×1×1' 'cycles' 'x 0 32'  # 1000 threads are 32 warps
run --functional ./app fill
ends 7
says 'executed without time'

run ./app memory
ends 0
prints <<'OUT'
12000 bytes less of 1610612736
managed 0 wrong, pinned 0 wrong
pinned memory has one address
abababab abababab 11
factor 5
8 bytes: abcdefg
raised 42
0 bytes less
OUT

run ./app errors
ends 0
prints <<'OUT'
cudaSetDevice: cudaErrorInvalidDevice
last cudaErrorInvalidDevice cudaErrorInvalidDevice cudaSuccess
cudaFree: cudaErrorInvalidValue
cudaMemGetInfo: cudaSuccess
cudaMalloc: cudaErrorMemoryAllocation
cudaMalloc: cudaErrorMemoryAllocation
cudaMemcpy: cudaErrorInvalidValue
cudaMemcpy: cudaErrorInvalidValue
cudaMemcpy: cudaErrorInvalidMemcpyDirection
cudaMemset: cudaErrorInvalidValue
cudaMemcpyToSymbol: cudaErrorInvalidValue
cudaMemcpyToSymbol: cudaErrorInvalidSymbol
launch: cudaErrorInvalidDeviceFunction
launch: cudaErrorInvalidDeviceFunction
launch: cudaErrorInvalidConfiguration
launch: cudaErrorInvalidConfiguration
launch: cudaErrorInvalidValue
launch: cudaErrorInvalidResourceHandle
launch: cudaErrorInvalidValue
cudaStreamDestroy: cudaErrorInvalidResourceHandle
cudaEventDestroy: cudaErrorInvalidResourceHandle
cudaGetDeviceProperties: cudaErrorInvalidDevice
cudaDeviceGetAttribute: cudaErrorInvalidValue
cudaImportExternalMemory: cudaErrorNotSupported
cudaImportExternalMemory: cudaErrorNotSupported
cudaDeviceSynchronize: cudaSuccess
OUT
says "cudaImportExternalMemory isn't there yet" './app launched no kernel'
(($(grep -c cudaImportExternalMemory err) == 1)) || complain "what is missing is told more than once: $err"

# fault WHAT ERROR TEXT [OPTION …]: a kernel's fault stays until the device is reset; the place comes on stderr.
fault() {
    run "${@:4}" ./app "$1"
    ends 0
    prints <<OUT
launch: cudaSuccess
cudaDeviceSynchronize: $2
cudaMemcpy: $2
cudaFree: $2
cudaDeviceReset: cudaSuccess
0 wrong
OUT
    says "$3"
}
fault null cudaErrorIllegalAddress 'kernel stray: write of 4 bytes through a null pointer'
fault null cudaErrorIllegalAddress 'kernel stray: write of 4 bytes through a null pointer' --functional
fault misaligned cudaErrorMisalignedAddress 'kernel stray: write of 4 bytes at 0x200000001'
fault trap cudaErrorLaunchFailure 'kernel stop: trap'
fault forever cudaErrorLaunchTimeout 'the kernel hangs'
fault forever cudaErrorLaunchTimeout 'kernel forever was stopped after 20000 cycles (max_cycles)' --max-cycles 20000

run ./app streams
ends 0
prints <<'OUT'
cudaEventElapsedTime: cudaErrorInvalidResourceHandle
it took time: 1; whoever waits is as late: 1
0 wrong
cudaStreamDestroy: cudaErrorInvalidResourceHandle
cudaEventRecord: cudaErrorInvalidResourceHandle
launch_fill: cudaErrorInvalidResourceHandle
OUT

run --gpu h200 ./app device
ends 0
prints <<'OUT'
1 device, h200, CUDA 13000 13000
memory 1, shared 1, constant 65536, major 9, behind it ee
reserved 0
threads 1024, PTX 75, dynamic 49152
cudaFuncSetAttribute: cudaSuccess
cudaFuncSetAttribute: cudaErrorInvalidValue
1 block
OUT

for options in '' --functional; do
    # shellcheck disable=SC2086
    run $options ./app meet
    ends 0
    prints <<<$'0 saw fewer\ncudaLaunchCooperativeKernel: cudaErrorCooperativeLaunchTooLarge'
done

run ./app print
ends 0
prints <<<$'before\nhello\nhello\nafter'
run ./app many
ends 0
prints <<<'0 wrong'
says '3001 launches summed'
run --json -o report.json --kernels fill ./app many --json
ends 0
[[ ! -s err ]] || complain "says $err"
(($(grep -c '"demangled"\|"name": "fill"' report.json) >= 3001)) || complain "not every launch is in the JSON"
if grep -q '"hint"' report.json; then complain "a hint of -o where it was given"; fi
run --json ./app print
says '"hint": "the JSON of a program'
says '-o FILE writes it into a file"'

# --- how a program ends ----------------------------------------------------------------------------------------------
run ./app fork
ends 7
prints <<'OUT'
0 wrong
cudaDeviceSynchronize: cudaErrorDevicesUnavailable
cudaDeviceSynchronize: cudaErrorDevicesUnavailable
child 3
0 wrong
OUT
says 'this process was forked from one that uses the GPU' '2 launches summed'
run ./app leave
ends 5
says 'hello grid 1×1×1'
run ./app die
ends 134
prints <<<'0 wrong'
says 'was ended by signal 6' 'fill grid 16×1×1'
run ./app nothing
ends 4
says 'asked for no GPU' '-cudart shared'
LD_LIBRARY_PATH=$ONCHIP_BUILD/cuda ./app fill >out 2>err
out=$(<out)
now='without onchip'
[[ $out == 'line '*': cudaErrorNoDevice' ]] || complain "prints $out"
says 'onchip run PROGRAM'

# A script may run several programs, one after the other.
printf '#!/bin/sh\n./app fill\necho "$?"\n./app memory\n' >script
chmod +x script
run ./script
ends 0
[[ $out == $'0 wrong\n7\n12000 bytes less'* ]] || complain "prints $out"
says './script on gtx480' 'fill grid 16×1×1, block 64×1×1, 3 launches summed'

# A signal ends both, and what ran until then is reported.
now='onchip run ./app count, and SIGTERM'
"$onchip" run ./app count >out 2>err &
until grep -q begun out || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
sleep 1  # the program has asked for the launch; onchip begins it
kill $!
status=0
wait $! || status=$?
ends 143
says 'interrupted: kernel count was stopped' 'so far'

# --- the command line ------------------------------------------------------------------------------------------------
run --gpu
ends 2
run ./app --gpu h200 --help  # behind the program stands what is the program's
ends 98
prints <<<'what?'
run --size small ./app fill
ends 2
says '--size is an option of a workload; ./app is a CUDA program'
run -o report.txt atax
ends 2
says '-o is an option of a CUDA program'
run -o none/report ./app fill
ends 1
says "can't write none/report"
run --autotune threads --db tuned.db ./app fill
ends 1
says "the program's exit status is 7"
head -c 64 app >broken  # the header of a program
run ./broken
ends 1
says "can't start ./broken"
run -o report.txt ./app fill
ends 7
[[ ! -s err && $(head -n 1 report.txt) == './app  fill  on gtx480' ]] || complain "the report isn't in the file: $err"
exit $bad
