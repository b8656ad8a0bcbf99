// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/ceilings/cpu/bandwidth_kernel.h"
#include "kernels/ceilings/cpu/triad.h"

namespace mansard::kernels {
namespace {

constexpr int kTriadArrays = 3;
enum Array { kResultArray, kLeftArray, kRightArray };
constexpr double kScalar = 3.0;

// 24 bytes per element: 16 read and 8 written. The write-allocate (fetching a line before
// overwriting it) is not counted, as in STREAM, and no non-temporal stores avoid it.
class TriadKernel final : public BandwidthKernel {
 public:
  TriadKernel(const VectorLoops& loops, const DeviceInfo& device, const PrepareOptions& options)
      : BandwidthKernel("cpu_triad", loops, device, options, kTriadArrays, 2.0 / 24) {
    fill(options.seed);
    choose_repetitions();
  }

  std::string verify() override {
    const std::uint64_t fresh = seed() + 1;
    fill(fresh);
    launch(nullptr);
    std::vector<std::string> differences(static_cast<std::size_t>(threads()));
    team().run([&](int thread) {
      differences[static_cast<std::size_t>(thread)] = difference(thread, fresh);
    });
    fill(seed());
    for (const std::string& found : differences) {
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  void pass(int thread, std::int64_t repetitions) override {
    loops().triad(slices().array(thread, kResultArray), slices().array(thread, kLeftArray),
                  slices().array(thread, kRightArray), kScalar, slices().elements(), repetitions);
  }

  // Invalidate the result so that skipped elements are detected.
  void fill(std::uint64_t from) {
    team().run([&](int thread) {
      double* const result = slices().array(thread, kResultArray);
      std::fill_n(result, slices().elements(), std::numeric_limits<double>::quiet_NaN());
      slices().fill(from, thread, kLeftArray);
      slices().fill(from, thread, kRightArray);
    });
  }

  // Recompute the inputs instead of reading data that the kernel may have overwritten.
  std::string difference(int thread, std::uint64_t from) const {
    const double* const result = slices().array(thread, kResultArray);
    for (std::int64_t i = 0; i < slices().elements(); ++i) {
      const long double left = slices().value(from, thread, kLeftArray, i);
      const long double right = slices().value(from, thread, kRightArray, i);
      const long double product = kScalar * right;
      const long double tolerance =
          std::numeric_limits<double>::epsilon() * (std::fabs(left) + std::fabs(product));
      if (!(std::fabs(result[i] - (left + product)) <= tolerance)) {
        return "thread " + std::to_string(thread) + ", element " + std::to_string(i) + ": " +
               std::to_string(result[i]) + " instead of " + std::to_string(left + product);
      }
    }
    return "";
  }
};

}  // namespace

std::unique_ptr<PreparedKernel> prepare_triad(const VectorLoops& loops, const DeviceInfo& device,
                                              const PrepareOptions& options) {
  return std::make_unique<TriadKernel>(loops, device, options);
}

void register_cpu_triad(KernelRegistry& registry);
void register_cpu_triad(KernelRegistry& registry) {
  registry.add(swept_spec("cpu_triad", "STREAM triad in FP64 on all cores, vs. working-set size",
                          prepare_triad));
}

}  // namespace mansard::kernels
