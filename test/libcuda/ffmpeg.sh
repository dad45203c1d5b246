#!/bin/bash
# FFmpeg's filters for GPUs: where a filter of the CPU does the same, the frames are the same to the bit.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] && grep -q scale_cuda <<<"$(ffmpeg -hide_banner -filters 2>/dev/null)" || exit 77
now='ffmpeg -f lavfi'
ffmpeg -v error -y -f lavfi -i testsrc2=size=128x96:rate=1 -frames:v 2 -pix_fmt yuv420p in.y4m || exit 1
ffmpeg -v error -y -f lavfi -i mandelbrot=size=64x48:rate=1 -frames:v 2 -pix_fmt yuv420p over.y4m || exit 1
frames() { grep -v '^#' "$1"; }
# same CPU_FILTER GPU_FILTER KERNEL [INPUT …]
same() {
    local cpu=$1 gpu=$2 kernel=$3
    shift 3
    local inputs=(-i in.y4m "$@")
    now="ffmpeg $cpu"
    ffmpeg -v error "${inputs[@]}" -filter_complex "$cpu" -f framemd5 cpu.md5 -y || complain "it fails"
    run --functional -- ffmpeg -v error -init_hw_device cuda=c -filter_hw_device c "${inputs[@]}" -filter_complex \
        "$gpu" -f framemd5 -
    # FFmpeg 5.1's thumbnail_cuda reads what it has given back when it is closed, and the process ends there.
    [[ $kernel == Thumbnail* ]] || ends 0
    [[ $(frames out) == "$(frames cpu.md5)" ]] || complain "other frames: $(<out)"
    says "$kernel"
}
same scale=64:48:flags=neighbor 'hwupload_cuda,scale_cuda=64:48:interp_algo=nearest,hwdownload,format=yuv420p' \
    Subsample_Nearest_yuv420p_yuv420p
same scale=128:96,format=yuv444p 'hwupload_cuda,scale_cuda=format=yuv420p,hwdownload,format=yuv420p,format=yuv444p' ''
same '[0][1]overlay=16:8' \
    '[0]hwupload_cuda[a];[1]hwupload_cuda[b];[a][b]overlay_cuda=16:8,hwdownload,format=yuv420p' Overlay_Cuda -i over.y4m
same thumbnail=2 'hwupload_cuda,thumbnail_cuda=2,hwdownload,format=yuv420p' Thumbnail_uchar
exit $bad
