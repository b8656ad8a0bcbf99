// SPDX-License-Identifier: Apache-2.0
// Interface between recipes and the machine that runs them. The recipes are written once against it
// and run on the CPU (with the references) and on CUDA devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernels/device_info.h"
#include "kernels/kernel.h"
#include "kernels/recipes/conversions.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

// Conversions and GEMMs are enqueued in order and may return early; read(), elapsed_s() and
// synchronize() wait for them.
class Backend : public Conversions {
 public:
  virtual MemoryLevel traffic_level() const = 0;
  // The cudaStream_t on which operations are enqueued; null: the backend is the CPU.
  virtual void* cuda_stream() const = 0;

  // --- memory ---

  // Uninitialized and aligned to 256 bytes. Throws std::runtime_error if memory is insufficient.
  virtual std::shared_ptr<void> allocate(std::int64_t bytes) = 0;
  virtual double free_bytes() const = 0;        // 0: unknown
  virtual std::string memory_name() const = 0;  // "NVIDIA H200"
  virtual void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                    int exponent) = 0;
  // Reads `count` runs of `width_bytes`, whose starts are `pitch_bytes` apart, packed into `host`.
  virtual void read(void* host, const void* source, std::int64_t width_bytes,
                    std::int64_t count = 1, std::int64_t pitch_bytes = 0) = 0;
  // Writes from host memory, which may be freed after the call.
  virtual void write(void* target, const void* host, std::int64_t bytes) = 0;
  // Locks pages of host memory while the result exists, so that read() and write() run at the rate
  // of the link. Null if that is not possible, or not needed.
  virtual std::shared_ptr<void> pin([[maybe_unused]] void* host,
                                    [[maybe_unused]] std::int64_t bytes) {
    return nullptr;
  }

  // --- matrix products ---

  // Whether prepare_gemm() supports operands with this scaling, both with the reduction axis
  // innermost. BF16 operands are always supported.
  virtual bool multiplies(Scaling scaling) const = 0;
  // Precision of the instructions that execute the GEMM.
  virtual Precision gemm_precision(const GemmProblem& problem) const = 0;
  // Scratch memory that every GEMM needs in addition to its operands.
  virtual std::int64_t gemm_workspace_bytes() const = 0;
  // How prepare_gemm() chooses among a library's algorithms. By default it takes the one that the
  // library expects to be fastest, which is the same in every process. If `on`, it runs the first
  // few on the problem's memory, whose C it overwrites, and takes the fastest: another process may
  // take another one, with results that are rounded differently.
  virtual void measure_gemms([[maybe_unused]] bool on) {}
  // Includes the cost of choosing an algorithm; the result may be called many times.
  virtual std::function<void()> prepare_gemm(const GemmProblem& problem, void* workspace) = 0;

  // --- time ---

  // Timestamps in the order of the operations, identified by a slot number that the caller chooses.
  virtual void mark(std::size_t slot) = 0;
  virtual double elapsed_s(std::size_t from_slot, std::size_t to_slot) = 0;
  virtual void synchronize() = 0;

  // Records the operations that `enqueue` enqueues, including timestamps, without executing them.
  // Each call of the result enqueues all of them at the cost of one launch. All of them must have
  // run once before. Throws std::logic_error if the backend has no graphs.
  virtual std::function<void()> record(const std::function<void()>& enqueue) = 0;
};

std::unique_ptr<Backend> make_cpu_backend();

// Throws std::runtime_error in a build without CUDA, or if the device cannot be used.
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device);
// Enqueues on the caller's stream, a cudaStream_t that must outlive the backend.
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device, void* stream);

std::unique_ptr<Backend> make_backend(const DeviceInfo& device);

}  // namespace mansard::kernels
