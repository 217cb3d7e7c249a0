// Kernels of the examples as a CUDA C++ programmer writes them, for a comparison of what ptxas makes of both (quality.sh).
#include <cuda_runtime.h>

extern "C" {

static __device__ float warp_sum(float sum) {
    for (int distance = 16; distance > 0; distance >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

__global__ void dot(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ total, size_t n) {
    __shared__ float parts[32];
    size_t stride = gridDim.x * blockDim.x;
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) sum += x[i] * y[i];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum = warp_sum(sum);
    if (lane == 0) parts[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? parts[lane] : 0.0f);
        if (lane == 0) atomicAdd(total, sum);
    }
}

__global__ void histogram(const unsigned char *__restrict__ data, unsigned *__restrict__ counts, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    size_t stride = gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd_block(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

static __device__ unsigned warp_scan(unsigned sum) {
    unsigned lane = threadIdx.x % 32;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += below;
    }
    return sum;
}

__global__ void scan_parts(unsigned *__restrict__ data, unsigned *__restrict__ sums, size_t n) {
    __shared__ unsigned warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned in_warp = warp_scan(i < n ? data[i] : 0);
    if (lane == 31) warps[warp] = in_warp;
    __syncthreads();
    if (warp == 0) warps[lane] = warp_scan(lane < blockDim.x / 32 ? warps[lane] : 0);
    __syncthreads();
    unsigned sum = in_warp + (warp > 0 ? warps[warp - 1] : 0);
    if (i < n) data[i] = sum;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = sum;
}

__global__ void add_before(unsigned *__restrict__ data, const unsigned *__restrict__ sums, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) data[i] += sums[blockIdx.x - 1];
}

__global__ void step(const float *__restrict__ now, float *__restrict__ then, unsigned width, unsigned height) {
    size_t w = width, h = height;
    size_t x = blockIdx.x * (size_t)blockDim.x + threadIdx.x, y = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        size_t i = y * w + x;
        then[i] = 0.2f * (now[i] + now[i - 1] + now[i + 1] + now[i - w] + now[i + w]);
    }
}

__global__ void mandelbrot(unsigned width, unsigned height, unsigned most, unsigned *__restrict__ steps, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned px = (unsigned)i % width, py = (unsigned)i / width;
    float cr = -2.0f + 3.0f * px / width, ci = -1.5f + 3.0f * py / height;
    float zr = cr, zi = ci;
    unsigned k = 0;
    while (k < most && zr * zr + zi * zi <= 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = zr * zi + zi * zr + ci;
        zr = next;
        k++;
    }
    steps[i] = k;
}

struct Shape {
    unsigned tag;
    float a, b, c;
};

__global__ void areas(const Shape *__restrict__ shapes, float *__restrict__ areas, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape s = shapes[i];
    float area = -1.0f;
    switch (s.tag) {
    case 0: area = 0.0f; break;
    case 1: area = 3.14159265f * s.a * s.a; break;
    case 2: area = s.a * s.b; break;
    default:
        if (s.a + s.b > s.c && s.b + s.c > s.a && s.c + s.a > s.b) {
            float half = (s.a + s.b + s.c) / 2.0f;
            area = sqrtf(half * (half - s.a) * (half - s.b) * (half - s.c));
        }
    }
    areas[i] = area;
}

}  // extern "C"
