// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/bandwidth_kernel.h"
#include "kernels/ceilings/cpu/read.h"

namespace mansard::kernels {
namespace {

constexpr int kReadArrays = 2;

// 16 bytes and 2 FLOP per element.
class ReadKernel final : public BandwidthKernel {
 public:
  ReadKernel(const std::string& name, const VectorLoops& loops, const DeviceInfo& device,
             const PrepareOptions& options, const Placement& placement)
      : BandwidthKernel(name, loops, device, options, kReadArrays, 2.0 / 16),
        placement_(placement.toucher.empty() ? own_node(threads()) : placement),
        sums_(static_cast<std::size_t>(threads())) {
    for (std::size_t thread = 0; thread < placement_.node.size(); ++thread) {
      const PageBuffer& slice = slices().buffer(static_cast<int>(thread));
      const std::string refused =
          bind_to_node(slice.data(), slice.bytes(), placement_.node[thread]);
      if (!refused.empty()) placed_by_ = "first touch: " + refused;
    }
    fill();
    choose_repetitions();
  }

  // Uses small integers, whose products and sums are exact in any order, so that a missing element
  // or repetition is detected.
  std::string verify() override {
    for (std::size_t thread = 0; thread < placement_.node.size(); ++thread) {
      const std::string found =
          misplaced(slices().buffer(static_cast<int>(thread)), placement_.node[thread]);
      if (!found.empty()) return found;
    }
    team().run([&](int thread) {
      for (int array = 0; array < kReadArrays; ++array) {
        double* const data = slices().array(thread, array);
        for (std::int64_t i = 0; i < slices().elements(); ++i) {
          data[i] = static_cast<double>(integer(thread, array, i));
        }
      }
    });
    launch(nullptr);
    std::vector<double> expected(sums_.size());
    team().run([&](int thread) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < slices().elements(); ++i) {
        sum += integer(thread, 0, i) * integer(thread, 1, i);
      }
      expected[static_cast<std::size_t>(thread)] = static_cast<double>(sum * repetitions());
    });
    fill();
    for (std::size_t thread = 0; thread < sums_.size(); ++thread) {
      if (sums_[thread].value != expected[thread]) {
        return "thread " + std::to_string(thread) + ": dot product " +
               std::to_string(sums_[thread].value) + " instead of " +
               std::to_string(expected[thread]);
      }
    }
    return "";
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> all = BandwidthKernel::parameters();
    if (!placement_.node.empty()) all["placed_by"] = placed_by_;
    return all;
  }

 private:
  struct alignas(64) Sum {
    double value = 0;
  };

  void pass(int thread, std::int64_t repetitions) override {
    sums_[static_cast<std::size_t>(thread)].value = loops().dot(
        slices().array(thread, 0), slices().array(thread, 1), slices().elements(), repetitions);
  }

  void fill() {
    team().run([&](int thread) {
      for (int slice = 0; slice < threads(); ++slice) {
        if (placement_.toucher[static_cast<std::size_t>(slice)] != thread) continue;
        for (int array = 0; array < kReadArrays; ++array) slices().fill(seed(), slice, array);
      }
    });
  }

  // 1 to 8, so that every element changes the sum and the sums stay below 2^53.
  std::int64_t integer(int thread, int array, std::int64_t element) const {
    return 1 + static_cast<std::int64_t>(
                   splitmix64(slices().number(thread, array, element) ^ seed()) % 8);
  }

  Placement placement_;
  std::string placed_by_ = "binding";
  std::vector<Sum> sums_;
};

}  // namespace

std::unique_ptr<PreparedKernel> prepare_read(const std::string& name, const VectorLoops& loops,
                                             const DeviceInfo& device,
                                             const PrepareOptions& options,
                                             const Placement& placement) {
  return std::make_unique<ReadKernel>(name, loops, device, options, placement);
}

void register_cpu_read(KernelRegistry& registry);
void register_cpu_read(KernelRegistry& registry) {
  registry.add(swept_spec(
      "cpu_read", "Reads (dot product) on all cores, vs. working-set size",
      [](const VectorLoops& loops, const DeviceInfo& device, const PrepareOptions& options) {
        return prepare_read("cpu_read", loops, device, options);
      }));
}

}  // namespace mansard::kernels
