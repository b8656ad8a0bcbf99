// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "kernels/device/cuda_objects.h"
#include "tests/kernels/interface/layer_calls.h"

namespace mansard::kernels {
namespace {

class LayerInterfaceOnGpu : public testing::TestWithParam<Recipe> {
 protected:
  void expect_the_bits_of_linear_layer(void* stream) {
    const LinearProblem problem = {"called", 256, 192, 320, DataPattern::random_normal, 7};
    const DeviceInfo device = cuda_devices().front();
    const auto own = make_cuda_backend(device);
    ReferenceLayer reference(problem, GetParam(), *own);
    CalledLayer called(problem, GetParam(), *own, device.ordinal);
    called.stream = stream;
    LayerTensorsInMemory first(problem, *own, 0), second(problem, *own, 1);
    for (int step = 0; step < 2; ++step) {
      second.dw = first.dw;
      called.run(first);
      cuda_check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "run a layer");
      expect_same(first.results(), reference.run(first));
      called.run(second, MANSARD_WEIGHT_SAME, MANSARD_ACCUMULATE);
      cuda_check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "run a layer");
      expect_same(second.results(), reference.run(second, MicroBatch::later));
    }
  }
};

TEST_P(LayerInterfaceOnGpu, ComputesTheBitsOfLinearLayerOnTheDefaultStream) {
  expect_the_bits_of_linear_layer(nullptr);
}

TEST_P(LayerInterfaceOnGpu, ComputesTheBitsOfLinearLayerOnAnotherStream) {
  const CudaStream stream;
  expect_the_bits_of_linear_layer(stream.get());
}

INSTANTIATE_TEST_SUITE_P(Recipes, LayerInterfaceOnGpu, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(LayerInterfaceErrorsOnGpu, RefuseAddressesThatGemmsCannotUse) {
  const DeviceInfo device = cuda_devices().front();
  const auto backend = make_cuda_backend(device);
  CalledLayer called(kCalledProblem, Recipe::bf16, *backend, device.ordinal);
  LayerTensorsInMemory tensors(kCalledProblem, *backend, 0);
  tensors.y += 64;  // 128 bytes
  EXPECT_EQ(called.fprop(tensors), MANSARD_INVALID_ARGUMENT);
  EXPECT_STREQ(mansard_layers_error(), "mansard_layer_fprop: y is not aligned to 256 bytes");
}

}  // namespace
}  // namespace mansard::kernels
