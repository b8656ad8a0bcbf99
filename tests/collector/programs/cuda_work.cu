// SPDX-License-Identifier: Apache-2.0
// cuda_work [SECONDS]: ten launches of one kernel within a range, two memcpys and a memset; then,
// for SECONDS, launches of another kernel. Exits with 77 without a GPU.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "kernels/annotation/range.h"

namespace work {

template <class T>
__global__ void add_one(T* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += T(1);
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}

}  // namespace work

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  constexpr int kCount = 1 << 20;
  std::vector<float> host(kCount, 1.0f);
  float* data = nullptr;
  if (cudaMalloc(&data, kCount * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, kCount * sizeof(float));
  cudaMemcpy(data, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  {
    const mansard::kernels::AnnotatedRange range("ten steps | flop=1.048576e7 hbm=8.388608e7");
    for (int i = 0; i < 10; ++i) work::add_one<<<kCount / 256, 256>>>(data, kCount);
    cudaDeviceSynchronize();
  }
  cudaMemcpy(host.data(), data, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(data);
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> extra(argc > 1 ? std::atof(argv[1]) : 0.0);
  for (const auto begin = Clock::now(); Clock::now() - begin < extra;) {
    work::spin<<<128, 128>>>(1'000'000);
    cudaDeviceSynchronize();
  }
  std::printf("%g\n", host[kCount - 1]);
  return host[kCount - 1] == 11.0f ? 0 : 1;
}
