// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/cpu_backend.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "kernels/device/host_memory.h"
#include "kernels/formats/random_input.h"
#include "kernels/recipes/arena.h"
#include "kernels/recipes/cpu_gemm.h"

namespace mansard::kernels {

std::shared_ptr<void> CpuBackend::allocate(std::int64_t bytes) {
  const std::int64_t whole = round_up(bytes, Arena::kAlignment);
  void* memory = std::aligned_alloc(Arena::kAlignment, static_cast<std::size_t>(whole));
  if (memory == nullptr) {
    throw std::runtime_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
  }
  return {memory, std::free};
}

double CpuBackend::free_bytes() const { return available_memory_bytes(); }

void CpuBackend::fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                      int exponent) {
  fill_random(data, count, pattern, seed, exponent);
}

void CpuBackend::read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
                      std::int64_t pitch_bytes) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char*>(host) + i * width_bytes,
                static_cast<const char*>(source) + i * pitch_bytes,
                static_cast<std::size_t>(width_bytes));
  }
}

void CpuBackend::write(void* target, const void* host, std::int64_t bytes) {
  std::memcpy(target, host, static_cast<std::size_t>(bytes));
}

std::function<void()> CpuBackend::prepare_gemm(const GemmProblem& problem, void*) {
  if (problem.a.is_quantized() || problem.b.is_quantized()) {
    throw std::logic_error(
        "the CPU backend multiplies quantized operands only after dequantization");
  }
  return [problem] { cpu_gemm(problem); };
}

void CpuBackend::mark(std::size_t slot) {
  if (slot >= marks_.size()) marks_.resize(slot + 1);
  marks_[slot] = std::chrono::steady_clock::now();
}

double CpuBackend::elapsed_s(std::size_t from_slot, std::size_t to_slot) {
  return std::chrono::duration<double>(marks_.at(to_slot) - marks_.at(from_slot)).count();
}

std::function<void()> CpuBackend::record(const std::function<void()>&) {
  throw std::logic_error("the CPU backend does not support graphs");
}

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

std::unique_ptr<Backend> make_backend(const DeviceInfo& device) {
  return device.target == Target::cuda ? make_cuda_backend(device) : make_cpu_backend();
}

}  // namespace mansard::kernels
