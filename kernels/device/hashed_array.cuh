// SPDX-License-Identifier: Apache-2.0
// Array contents of the bandwidth ceilings: fractions in [1, 2) whose 23 bits are hashed from the
// index and a salt. Each value can be recomputed from its index, so that transferred data can be
// checked bit by bit without a second copy, and a new salt yields new data.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "kernels/device/device_buffer.h"

namespace mansard::kernels::hashed {

inline constexpr const char* kDescription = "fractions hashed from the index";

__host__ __device__ constexpr std::uint32_t bits(std::uint64_t index, std::uint32_t salt) {
  const std::uint32_t hash = static_cast<std::uint32_t>(index) * 2654435761u + salt;
  return 0x3f800000u | (hash >> 9);  // the upper bits are better mixed
}

__device__ __forceinline__ float value(std::uint64_t index, std::uint32_t salt) {
  return __uint_as_float(bits(index, salt));
}

inline std::uint32_t fresh_salt() { return std::random_device{}(); }

// Thread blocks of the helpers below; their threads share the array.
inline constexpr int kHelperBlocks = 4096;
inline constexpr int kHelperThreads = 256;

template <typename Body>
__device__ __forceinline__ void for_each_index(std::int64_t count, Body body) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    body(i);
  }
}

template <int = 0>  // a template, so that several files may include it
__global__ void fill_hashed(std::uint32_t* data, std::int64_t count, std::uint32_t salt) {
  for_each_index(count, [&](std::int64_t i) { data[i] = bits(i, salt); });
}

template <int = 0>
__global__ void count_unequal(const std::uint32_t* data, std::int64_t count, std::uint32_t salt,
                              unsigned long long* unequal) {
  for_each_index(count, [&](std::int64_t i) {
    if (data[i] != bits(i, salt)) atomicAdd(unequal, 1ull);
  });
}

// Sum, modulo 2^32, of the words that fill_hashed() would write, computed without reading memory.
template <int = 0>
__global__ void add_hashed(std::int64_t count, std::uint32_t salt, unsigned* sum) {
  unsigned part = 0;
  for_each_index(count, [&](std::int64_t i) { part += bits(i, salt); });
  atomicAdd(sum, part);
}

// All three use the current device and its default stream.
inline void fill(std::uint32_t* data, std::int64_t count, std::uint32_t salt) {
  fill_hashed<><<<kHelperBlocks, kHelperThreads>>>(data, count, salt);
  cuda_check(cudaDeviceSynchronize(), "fill an array with hashed fractions");
}

inline unsigned long long unequal(const std::uint32_t* data, std::int64_t count,
                                  std::uint32_t salt) {
  DeviceBuffer<unsigned long long> result(1);
  result.fill_bytes(0);
  count_unequal<><<<kHelperBlocks, kHelperThreads>>>(data, count, salt, result.get());
  return result.to_host()[0];
}

inline unsigned sum(std::int64_t count, std::uint32_t salt) {
  DeviceBuffer<unsigned> result(1);
  result.fill_bytes(0);
  add_hashed<><<<kHelperBlocks, kHelperThreads>>>(count, salt, result.get());
  return result.to_host()[0];
}

// Empty for zero, otherwise the message for verify().
inline std::string wrong_values(unsigned long long wrong, std::int64_t of) {
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(of) + " values arrived wrong";
}

}  // namespace mansard::kernels::hashed
