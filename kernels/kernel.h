// SPDX-License-Identifier: Apache-2.0
// One kernel as the rest of Mansard sees it: what it is, what it moves and computes, how to run it
// and how to tell that it computed the right thing. Ceilings are what `characterize` measures,
// operations the kernels of training. Every source file in a folder of kernels/ceilings, and every
// .cu file in kernels/nvfp4 and kernels/fp8, registers one or more of these.
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
  compute_ceiling,    // FLOP/s of a precision, or op/s of an instruction; no traffic
  bandwidth_ceiling,  // B/s of a memory tier
  latency_ceiling,    // seconds of one dependent access
  overhead_ceiling,   // seconds per operation of the host's interface
  operation,          // part of a training step: quantize, transform, GEMM
};

// What an overhead ceiling counts.
enum class Overhead {
  kernel_launch,
  synchronize,
  event,
  copy,
};

// What operands hold. It decides how many bits toggle, and so power and clock.
enum class DataPattern {
  zeros,
  random_uniform,  // [0, 1), as torch.rand and cuRAND draw; integers over their whole range
  random_normal,   // mean 0, variance 1, as torch.randn draws
};
std::string_view to_string(DataPattern pattern);
std::optional<DataPattern> parse_data_pattern(std::string_view key);
std::string_view to_string(Overhead overhead);
std::optional<Overhead> parse_overhead(std::string_view key);

// Of one launch. `bytes` counts each byte the algorithm must move once: read plus written.
struct Work {
  double flop = 0;
  std::map<MemoryLevel, double> bytes;
  double operations = 0;  // latency and overhead ceilings: accesses, launches, copies
};

// One stop of a bandwidth sweep. `level`: the tier that is measured at this size, if one is.
struct WorkingSet {
  double bytes = 0;  // all threads together
  std::optional<MemoryLevel> level;
};

struct PrepareOptions {
  DataPattern pattern = DataPattern::random_normal;
  std::uint64_t seed = 1;
  // Problem size; what the axes mean is the kernel's to say (rows x cols, or m x n x k).
  // Empty: the kernel's own default for this device.
  std::vector<std::int64_t> shape;
};

// A kernel with its buffers allocated on one device. Destroying it frees them.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;

  virtual Work work() const = 0;

  // CUDA: enqueues one launch on `stream` (a cudaStream_t). Host: runs once and returns.
  // What it reads and writes is large enough to defeat the caches above the tier meant.
  virtual void launch(void* stream) = 0;

  // Runs once and compares with a reference in higher precision on fresh inputs.
  // Empty when right, else what differs. Called before anything is timed.
  virtual std::string verify() = 0;

  // Clock cycles of the last launch as the kernel itself counted them (per SM or core); 0: not
  // counted. Synchronizes.
  virtual double elapsed_cycles() { return 0; }

  // Seconds of the last launch by the device's own clock, from the same span as elapsed_cycles().
  virtual double elapsed_device_s() { return 0; }

  // Options that make prepare() choose what it chose for this kernel, without the search.
  virtual PrepareOptions chosen(const PrepareOptions& asked) const { return asked; }

  // What was chosen: tile shape, blocks, bytes of buffers. Goes into the machine model.
  virtual std::map<std::string, std::string> parameters() const { return {}; }
};

struct KernelSpec {
  std::string name;     // as typed by the user: "bf16_wgmma"
  std::string summary;  // one line for `mansard list`
  Target target = Target::cuda;
  KernelRole role = KernelRole::operation;
  std::optional<Precision> precision;
  std::optional<MemoryLevel> level;
  std::optional<Overhead> overhead;

  // Of a compute ceiling: "op/s" where the operations are not floating-point ones.
  std::string unit = "FLOP/s";

  // Whether programs are held against this ceiling. False for those that show what one way of using
  // the hardware reaches: FP16 accumulation, pageable memory, the far half of an L2, a library.
  bool roof = true;

  // Whether PrepareOptions::pattern decides what the operands hold; otherwise what they do hold.
  bool patterned = false;
  std::string fixed_data;  // "hashed integers"; empty: no data take part

  // Given where the kernel draws enough power to pull the clock: bursts of it get rests in between.
  // True where it is worth measuring again under seconds of load.
  std::function<bool(const DeviceInfo&)> sustained;

  // Empty when this kernel runs on `device`, else why not ("needs compute capability 9.0").
  std::function<std::string(const DeviceInfo&)> unsupported;

  // Theory per clock and SM or core (FLOP or bytes); 0: unknown. Source in the kernel's file.
  std::function<double(const DeviceInfo&)> peak_per_clock;

  // Theory per second where the SMs' clock has no part in it (device memory, links); empty or 0:
  // unknown.
  std::function<double(const DeviceInfo&)> peak_per_s;

  // Kernels that are swept over the working set (bandwidth or latency): the sizes for this device,
  // prepared one after the other with shape = {bytes}. Empty: the kernel measures the one tier in
  // `level`.
  std::function<std::vector<WorkingSet>(const DeviceInfo&)> working_sets;

  // Throws std::runtime_error (out of memory, bad shape), naming what was attempted.
  std::function<std::unique_ptr<PreparedKernel>(const DeviceInfo&, const PrepareOptions&)> prepare;
};

class KernelRegistry {
 public:
  void add(KernelSpec spec);  // throws std::logic_error on a name already taken
  const std::vector<KernelSpec>& all() const { return specs_; }
  const KernelSpec* find(std::string_view name) const;

 private:
  std::vector<KernelSpec> specs_;
};

// Every kernel of this build, in file order. Generated by CMake from the folders' contents.
const KernelRegistry& kernel_registry();

}  // namespace mansard::kernels
