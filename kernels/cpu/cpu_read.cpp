// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/bandwidth_kernel.h"
#include "kernels/cpu/read.h"

namespace mansard {
namespace {

constexpr int kArrays = 2;

// 16 bytes and 2 FLOP an element.
class ReadKernel final : public BandwidthKernel {
 public:
  ReadKernel(const VectorLoops& loops, const DeviceInfo& device, const PrepareOptions& options)
      : BandwidthKernel("cpu_read", loops, device, options, kArrays, 2.0 / 16),
        sums_(static_cast<std::size_t>(threads())) {
    fill();
    choose_repetitions();
  }

  // On small integers, whose products and sums are exact in any order: one element or one
  // repetition too few shows.
  std::string verify() override {
    team().run([&](int thread) {
      for (int array = 0; array < kArrays; ++array) {
        double* const data = slices().array(thread, array);
        for (std::int64_t i = 0; i < slices().elements(); ++i) data[i] = integer(thread, array, i);
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
      for (int array = 0; array < kArrays; ++array) {
        slices().fill(options().pattern, options().seed, thread, array);
      }
    });
  }

  // 1 to 8, so that every element counts and the sums stay below 2^53.
  std::int64_t integer(int thread, int array, std::int64_t element) const {
    return 1 + static_cast<std::int64_t>(
                   hash(slices().number(thread, array, element) ^ options().seed) % 8);
  }

  std::vector<Sum> sums_;
};

}  // namespace

std::unique_ptr<PreparedKernel> prepare_read(const VectorLoops& loops, const DeviceInfo& device,
                                             const PrepareOptions& options) {
  return std::make_unique<ReadKernel>(loops, device, options);
}

void register_cpu_read(KernelRegistry& registry);
void register_cpu_read(KernelRegistry& registry) {
  registry.add(swept_spec("cpu_read", "reads (a dot product) on every core, over working-set size",
                          prepare_read));
}

}  // namespace mansard
