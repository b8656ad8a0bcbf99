// SPDX-License-Identifier: Apache-2.0
// What a recipe needs of the machine that runs it. The recipes are written once against this and
// run on the CPU (by the reference) and on CUDA devices.
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

// Conversions and GEMMs are enqueued in order and may return before they are done; read(),
// elapsed_s() and synchronize() wait.
class Backend : public Conversions {
 public:
  virtual MemoryLevel traffic_level() const = 0;

  // --- memory ---

  // Uninitialized, aligned to 256 bytes. Throws std::runtime_error when there is not enough.
  virtual std::shared_ptr<void> allocate(std::int64_t bytes) = 0;
  virtual double free_bytes() const = 0;        // 0: unknown
  virtual std::string memory_name() const = 0;  // "NVIDIA H200"
  virtual void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                    int exponent) = 0;
  // `count` runs of `width_bytes`, each `pitch_bytes` after the one before, packed into `host`.
  virtual void read(void* host, const void* source, std::int64_t width_bytes,
                    std::int64_t count = 1, std::int64_t pitch_bytes = 0) = 0;
  // The opposite, of host memory that may go at once.
  virtual void write(void* target, const void* host, std::int64_t bytes) = 0;

  // --- matrix products ---

  // Whether prepare_gemm() takes operands scaled so; both must then have their reduction axis
  // innermost. BF16 operands are always taken.
  virtual bool multiplies(Scaling scaling) const = 0;
  // Of the instructions that execute the GEMM.
  virtual Precision gemm_precision(const GemmProblem& problem) const = 0;
  // What every GEMM needs beside its operands.
  virtual std::int64_t gemm_workspace_bytes() const = 0;
  // Whatever choosing an algorithm costs is paid here; the result may be called many times.
  virtual std::function<void()> prepare_gemm(const GemmProblem& problem, void* workspace) = 0;

  // --- time ---

  // Time stamps in the order of the operations, by a slot number of the caller's choice.
  virtual void mark(std::size_t slot) = 0;
  virtual double elapsed_s(std::size_t from_slot, std::size_t to_slot) = 0;
  virtual void synchronize() = 0;

  // What `enqueue` enqueues, time stamps included, without executing it: each call of the result
  // enqueues it all again, at the cost of one launch. It must all have run once before. Throws
  // std::logic_error where there are no graphs.
  virtual std::function<void()> record(const std::function<void()>& enqueue) = 0;
};

std::unique_ptr<Backend> make_cpu_backend();

// Throws std::runtime_error in a build without CUDA, and when the device cannot be used.
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device);

std::unique_ptr<Backend> make_backend(const DeviceInfo& device);

}  // namespace mansard::kernels
