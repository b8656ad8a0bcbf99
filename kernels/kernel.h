// SPDX-License-Identifier: Apache-2.0
// The interface between one kernel and the rest of Mansard: description, work, launch and
// verification. `characterize` measures ceilings; operations are the kernels of training. Every
// source file in a folder of kernels/ceilings, and every .cu file in kernels/nvfp4 and kernels/fp8,
// registers one or more kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device_info.h"
#include "kernels/vocabulary/memory_level.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

enum class KernelRole {
  compute_ceiling,    // FLOP/s in a precision, or op/s of an instruction; no traffic
  bandwidth_ceiling,  // B/s of a memory tier
  latency_ceiling,    // seconds of one dependent access
  overhead_ceiling,   // seconds per operation of the host API
  operation,          // part of a training step: quantize, transform, GEMM
};

// The operation that an overhead ceiling counts.
enum class Overhead {
  kernel_launch,
  synchronize,
  event,
  copy,
};

// The values of the operands. They determine how many bits toggle, and thus power and clock.
enum class DataPattern {
  zeros,
  random_uniform,  // [0, 1), as torch.rand and cuRAND draw; integers over their whole range
  random_normal,   // mean 0, variance 1, as torch.randn draws
};
std::string_view to_string(DataPattern pattern);
std::optional<DataPattern> parse_data_pattern(std::string_view key);
std::string_view to_string(Overhead overhead);
std::optional<Overhead> parse_overhead(std::string_view key);

// Work of one launch. `bytes` counts each byte that the algorithm must move once: read plus
// written.
struct Work {
  double flop = 0;
  std::map<MemoryLevel, double> bytes;
  double operations = 0;  // latency and overhead ceilings: accesses, launches, copies
};

// One point of a sweep over working-set size. `level`: the tier measured at this size, if any.
struct WorkingSet {
  double bytes = 0;  // total of all threads
  std::optional<MemoryLevel> level;
};

struct PrepareOptions {
  DataPattern pattern = DataPattern::random_normal;
  std::uint64_t seed = 1;
  // Problem size; the kernel defines the axes (rows x cols, or m x n x k). Empty: the kernel's
  // default for this device.
  std::vector<std::int64_t> shape;
};

// A kernel with its buffers allocated on one device. Destroying it frees them.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;

  virtual Work work() const = 0;

  // CUDA: enqueues one launch on `stream` (a cudaStream_t). Host: runs once and returns. The data
  // are large enough to defeat the caches above the measured tier.
  virtual void launch(void* stream) = 0;

  // Runs once on fresh inputs and compares with a reference in higher precision. Returns an empty
  // string on success, otherwise the difference. Called before any timing.
  virtual std::string verify() = 0;

  // Clock cycles of the last launch as counted by the kernel (per SM or core); 0: not counted.
  // Synchronizes.
  virtual double elapsed_cycles() { return 0; }

  // Seconds of the last launch by the device's clock, for the same interval as elapsed_cycles().
  virtual double elapsed_device_s() { return 0; }

  // Options with which prepare() repeats the choice made for this kernel without searching again.
  virtual PrepareOptions chosen(const PrepareOptions& asked) const { return asked; }

  // The choice: tile shape, blocks, buffer sizes. Stored in the machine model.
  virtual std::map<std::string, std::string> parameters() const { return {}; }
};

struct KernelSpec {
  std::string name;     // as typed by the user: "wgmma_bf16"
  std::string summary;  // one line for `mansard list`
  Target target = Target::cuda;
  KernelRole role = KernelRole::operation;
  std::optional<Precision> precision;
  std::optional<MemoryLevel> level;
  std::optional<Overhead> overhead;

  // Unit of a compute ceiling: "op/s" if the operations are not floating-point operations.
  std::string unit = "FLOP/s";

  // Whether this ceiling is a roof for programs. False for ceilings of one particular way to use
  // the hardware: FP16 accumulation, pageable memory, the far half of an L2, a library.
  bool roof = true;

  // Whether PrepareOptions::pattern sets the operand values; otherwise `fixed_pattern` describes
  // them.
  bool uses_data_pattern = false;
  std::string fixed_pattern;  // "hashed integers"; empty: no operand data

  // Set if the kernel draws enough power to lower the clock; its bursts are then separated by
  // pauses. Returns true if it should be measured again under seconds of load.
  std::function<bool(const DeviceInfo&)> sustained;

  // Returns an empty string if this kernel runs on `device`, otherwise the reason ("needs compute
  // capability 9.0").
  std::function<std::string(const DeviceInfo&)> unsupported;

  // Theoretical peak per clock and SM or core (FLOP or bytes); 0: unknown. See the kernel's file
  // for the source.
  std::function<double(const DeviceInfo&)> peak_per_clock;

  // Theoretical peak per second, if it does not depend on the SM clock (device memory, links).
  // Empty or 0: unknown.
  std::function<double(const DeviceInfo&)> peak_per_s;

  // For kernels that sweep the working-set size (bandwidth or latency): the sizes for this device,
  // each prepared with shape = {bytes}. Empty: the kernel measures the single tier in `level`.
  std::function<std::vector<WorkingSet>(const DeviceInfo&)> working_sets;

  // Throws std::runtime_error (out of memory, bad shape) that names the failed step.
  std::function<std::unique_ptr<PreparedKernel>(const DeviceInfo&, const PrepareOptions&)> prepare;
};

class KernelRegistry {
 public:
  void add(KernelSpec spec);  // throws std::logic_error if the name is taken
  const std::vector<KernelSpec>& all() const { return specs_; }
  const KernelSpec* find(std::string_view name) const;

 private:
  std::vector<KernelSpec> specs_;
};

// All kernels of this build, in file order. CMake generates the list from the folder contents.
const KernelRegistry& kernel_registry();

}  // namespace mansard::kernels
