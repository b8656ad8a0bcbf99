// SPDX-License-Identifier: Apache-2.0
// Steps that are measured run without the graph, and must compute what its replay computes.
#include <gtest/gtest.h>

#include "tests/kernels/training/measured_run.h"

namespace mansard::kernels {
namespace {

class TrainerNumericsOnGpu : public NumericsOfTraining, public testing::WithParamInterface<Recipe> {
 protected:
  std::unique_ptr<Backend> make_backend() const override {
    return make_cuda_backend(cuda_devices().front());
  }

  static TrainingOptions gpu_options() {
    TrainingOptions o = options(GetParam());
    // Attention on a GPU needs heads of 64.
    o.model = {"tiny", 128, 2, 2, 256, {{1, true, 256}, {1, false, 128}}, 64};
    o.transformer.sequence = 64;
    o.graph = true;
    o.operations.deterministic = true;
    return o;
  }
};

TEST_P(TrainerNumericsOnGpu, ChangeNothing) { expect_same_training(gpu_options()); }

TEST_P(TrainerNumericsOnGpu, ChangeNothingWithMicroBatchesAndRecomputation) {
  TrainingOptions o = gpu_options();
  o.transformer.micro_batches = 2;
  o.transformer.recompute = true;
  expect_same_training(o);
}

INSTANTIATE_TEST_SUITE_P(All, TrainerNumericsOnGpu, testing::ValuesIn(kRecipes),
                         [](const auto& i) { return std::string(to_string(i.param)); });

}  // namespace
}  // namespace mansard::kernels
