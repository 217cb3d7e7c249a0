#!/bin/sh
# What ptxas makes of each kernel in Rust and of its twin in CUDA C++: registers, spilled bytes, stack frame (local) bytes and
# SASS instructions, side by side, with Rust's instructions divided by CUDA's. Needs no GPU.
#
#     quality.sh [ARCH]        # from the repository; ARCH: sm_90 unless told
#
# Environment: NVCC, PTXAS, NVDISASM (default: on the path), OXIDE (default: `cargo oxide`). No fusing of multiplications and
# additions on either side, as Rust has it; FMAD=1 allows it on both. Instructions are those of the kernel itself. A kernel that
# can call (a panic) has at least the 32 registers of the calling convention, with which a multiprocessor is still full.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
arch=${1:-sm_90}
nvcc=${NVCC:-nvcc} ptxas=${PTXAS:-ptxas} nvdisasm=${NVDISASM:-nvdisasm} oxide=${OXIDE:-cargo oxide}
if [ "${FMAD:-0}" = 1 ]; then fuse=--fmad c_fmad=true; else fuse= c_fmad=false; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figures() { # CUBIN, LOG OF ptxas -v, SIDE: a line "kernel side registers spills stack instructions" for each entry
    "$nvdisasm" -c "$1" > "$work/sass"
    awk -v side="$3" '
        FILENAME == ARGV[1] && /Compiling entry function/ { split($0, q, "\047"); kernel = q[2] }
        FILENAME == ARGV[1] && /Function properties for/ { kernel = $NF }
        FILENAME == ARGV[1] && /bytes stack frame/ {
            for (i = 1; i <= NF; i++) {
                if ($(i + 2) == "stack" ) stack[kernel] = $i
                if ($(i + 2) == "spill" && $(i + 3) ~ /stores/) spill[kernel] = $i
            }
        }
        FILENAME == ARGV[1] && /Used .* registers/ { for (i = 1; i <= NF; i++) if ($i == "Used") regs[kernel] = $(i + 1) }
        FILENAME == ARGV[2] && /^\.text\./ { name = $1; sub(/^\.text\./, "", name); sub(/:$/, "", name); own = 1 }
        # Functions that it calls follow in its section: here those of a panic, which no thread runs that does not fail.
        FILENAME == ARGV[2] && /^\$.*:$/ { own = 0 }
        # Padding after the last instruction does not count.
        FILENAME == ARGV[2] && /^ *\/\*[0-9a-f]+\*\// && own && !/NOP/ { count[name]++ }
        END { for (k in regs) print k, side, regs[k], spill[k] + 0, stack[k] + 0, count[k] + 0 }
    ' "$2" "$work/sass" >> "$work/figures"
}

for twin in kernels examples; do
    "$nvcc" -O3 -fmad="$c_fmad" -arch="$arch" -cubin --resource-usage "$here/cuda/$twin.cu" -o "$work/c.cubin" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    figures "$work/c.cubin" "$work/log" c
done
for example in bench dot histogram scan stencil mandelbrot enums; do
    $oxide inspect "$example" --release --stage ptx --arch "$arch" ${fuse:-} > "$work/rust.ptx"
    "$ptxas" -v -arch="$arch" "$work/rust.ptx" -o "$work/rust.cubin" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    figures "$work/rust.cubin" "$work/log" rust
done
awk '
    $2 == "c" { c[$1] = $0 }
    $2 == "rust" { rust[$1] = $0 }
    END {
        print "| kernel | registers C++ | Rust | spills C++ | Rust | local C++ | Rust | instructions C++ | Rust | Rust / C++ |"
        print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        for (k in c) if (k in rust) {
            split(c[k], a); split(rust[k], b)
            printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %.2f |\n", k, a[3], b[3], a[4], b[4], a[5], b[5], a[6], b[6], b[6] / a[6] | "sort"
        } else print "no twin in Rust: " k > "/dev/stderr"
    }
' "$work/figures"
