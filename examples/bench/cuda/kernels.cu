// The six kernels of ../src/main.rs as a CUDA C++ programmer writes them, with the same launch shapes and sizes.
//
//     nvcc -O3 -arch=sm_90 kernels.cu -o cuda_bench
//
// Prints the same lines: name, milliseconds a launch (median of 21), rate, PASS or FAIL.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

extern "C" {

__global__ void vecadd(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(float k, const float *__restrict__ x, float *__restrict__ y, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = k * x[i] + y[i];
}

__device__ float warp_sum(float sum) {
    for (int distance = 16; distance > 0; distance >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

// Grid-stride loop, warp shuffles, one atomic a block.
__global__ void reduce_sum(const float *__restrict__ x, float *__restrict__ out, size_t n) {
    __shared__ float part[32];
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) sum += x[i];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    sum = warp_sum(sum);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? part[lane] : 0.0f);
        if (lane == 0) atomicAdd(out, sum);
    }
}

__global__ void transpose(const float *__restrict__ a, float *__restrict__ b, unsigned n) {
    __shared__ float tile[32][33];
    size_t tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (size_t j = 0; j < 32; j += 8) tile[ty + j][tx] = a[(by + ty + j) * n + bx + tx];
    __syncthreads();
    for (size_t j = 0; j < 32; j += 8) b[(bx + ty + j) * n + by + tx] = tile[tx][ty + j];
}

__global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
    __shared__ float s[32][32], t[32][32];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum = 0;
    for (unsigned k = 0; k < n; k += 32) {
        s[ty][tx] = a[y * n + k + tx];
        t[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (unsigned q = 0; q < 32; q++) sum += s[ty][q] * t[q][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void nbody(const float4 *__restrict__ p, float4 *__restrict__ acc, size_t n) {
    __shared__ float4 tile[256];
    size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (size_t k = 0; k < n; k += 256) {
        tile[threadIdx.x] = p[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
            float inv = 1.0f / sqrtf(r2);
            float f = other.w * inv * inv * inv;
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

}  // extern "C"

template <typename Launch> static double median(Launch launch) {
    cudaEvent_t start, end;
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&end), "event");
    for (int i = 0; i < 3; i++) launch();
    check(cudaDeviceSynchronize(), "launch");
    std::vector<float> times;
    for (int i = 0; i < 21; i++) {
        float ms;
        check(cudaEventRecord(start), "record");
        launch();
        check(cudaEventRecord(end), "record");
        check(cudaEventSynchronize(end), "launch");
        check(cudaEventElapsedTime(&ms, start, end), "time");
        times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[10];
}

static bool failed = false;

static void line(const char *name, double ms, double amount, const char *unit, bool ok) {
    failed |= !ok;
    std::printf("%-14s %9.4f ms  %10.1f %s  %s\n", name, ms, amount / ms * 1e-6, unit, ok ? "PASS" : "FAIL");
}

static float element(const float *device, size_t i) {
    float value;
    check(cudaMemcpy(&value, device + i, 4, cudaMemcpyDeviceToHost), "copy");
    return value;
}

int main() {
    const size_t n = (size_t)1 << 28, bytes = n * 4;
    const unsigned side = 16384, m = 2048;
    const size_t q = 65536;
    std::vector<float> h(n);
    for (size_t i = 0; i < n; i++) h[i] = (float)(i * 7919 % 1000) / 1000.0f;
    float *a, *b, *c, *total;
    check(cudaMalloc(&a, bytes), "memory");
    check(cudaMalloc(&b, bytes), "memory");
    check(cudaMalloc(&c, bytes), "memory");
    check(cudaMalloc(&total, 4), "memory");
    check(cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(b, h.data(), bytes, cudaMemcpyHostToDevice), "copy");

    double ms = median([&] { vecadd<<<n / 256, 256>>>(a, b, c, n); });
    line("vecadd", ms, 12.0 * n, "GB/s", element(c, 1234) == 2 * h[1234]);

    ms = median([&] { saxpy<<<n / 256, 256>>>(0.0f, a, b, n); });
    line("saxpy", ms, 12.0 * n, "GB/s", element(b, 777) == h[777]);

    const float zero = 0;
    ms = median([&] {
        // The same copy from the host as the Rust side makes, so that both measure the same.
        cudaMemcpyAsync(total, &zero, 4, cudaMemcpyHostToDevice);
        reduce_sum<<<132 * 8, 512>>>(a, total, n);
    });
    double want = 0;
    for (float x : h) want += x;
    line("reduce_sum", ms, 4.0 * n, "GB/s", std::fabs(element(total, 0) - want) < want * 1e-3);

    ms = median([&] { transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(a, c, side); });
    line("transpose", ms, 8.0 * n, "GB/s", element(c, 5 * (size_t)side + 9) == h[9 * (size_t)side + 5]);

    ms = median([&] { matmul_tiled<<<dim3(m / 32, m / 32), dim3(32, 32)>>>(a, b, c, m); });
    want = 0;
    for (unsigned k = 0; k < m; k++) want += (double)h[3 * m + k] * h[k * m + 4];
    line("matmul_tiled", ms, 2.0 * m * m * m, "GFLOP/s", std::fabs(element(c, 3 * m + 4) - want) < 1e-2 * want);

    ms = median([&] { nbody<<<q / 256, 256>>>((const float4 *)a, (float4 *)c, q); });
    want = 0;
    for (size_t j = 0; j < q; j++) {
        double dx = h[4 * j] - h[400], dy = h[4 * j + 1] - h[401], dz = h[4 * j + 2] - h[402];
        double r2 = dx * dx + dy * dy + dz * dz + 1e-4;
        want += dx * h[4 * j + 3] / (r2 * std::sqrt(r2));
    }
    line("nbody", ms, 20.0 * q * q, "GFLOP/s", std::fabs(element(c, 400) - want) < 1e-3 * std::fmax(std::fabs(want), 1.0));

    if (failed) return 1;
    std::printf("SUCCESS\n");
    return 0;
}
