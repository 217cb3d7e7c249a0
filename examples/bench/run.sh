#!/bin/sh
# Compiles the CUDA C++ twins, runs them and the prebuilt Rust programs in one go, and prints ratios (CUDA's time divided
# by Rust's: above 1 is faster than CUDA C++).
#
#     run.sh RUST_BINARY [RUST_BINARY_BUILT_WITH_FMAD]
#
# Needs a GPU and nvcc; no Rust. Environment: NVCC (default: nvcc on the path, else /usr/local/cuda/bin/nvcc), ARCH
# (default: native), CUDA_SOURCE (default: cuda/kernels.cu beside this script), OUT (folder for results, default: a
# temporary one).
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: run.sh RUST_BINARY [RUST_BINARY_BUILT_WITH_FMAD]" >&2; exit 2; }
source=${CUDA_SOURCE:-$here/cuda/kernels.cu}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
for needed in "$source" "$@"; do
    [ -e "$needed" ] || { echo "run.sh: no $needed" >&2; exit 2; }
done
[ -x "$nvcc" ] || { echo "run.sh: no nvcc at $nvcc; set NVCC" >&2; exit 2; }

"$nvcc" -O3 -arch="${ARCH:-native}" "$source" -o "$out/cuda_bench" || exit 1
status=0
run() { # name, program: its lines to the terminal and to a file
    echo "== $1"
    "$2" > "$out/$1.txt" 2> "$out/$1.err" || { echo "run.sh: $1 failed" >&2; cat "$out/$1.err" >&2; status=1; }
    cat "$out/$1.txt"
}
export CUDA_OXIDE_DEVICE=gpu
run cuda "$out/cuda_bench"
chmod +x "$1" 2>/dev/null
run rust "$1"
names=rust
if [ $# -ge 2 ]; then
    chmod +x "$2" 2>/dev/null
    run rust-fmad "$2"
    names="rust rust-fmad"
fi
# Once more, so that the clock's ups and downs can be seen.
run cuda-again "$out/cuda_bench"

echo "== ratios: time of CUDA C++ / time of Rust (the better of CUDA's two runs)"
for name in $names; do
    awk -v name="$name" '
        $3 == "ms" && FILENAME != ARGV[3] { if (!($1 in cuda) || $2 < cuda[$1]) cuda[$1] = $2 }
        $3 == "ms" && FILENAME == ARGV[3] && ($1 in cuda) { printf "%-10s %-14s %.3f  %s\n", name, $1, cuda[$1] / $2, $NF }
    ' "$out/cuda.txt" "$out/cuda-again.txt" "$out/$name.txt"
done
exit $status
