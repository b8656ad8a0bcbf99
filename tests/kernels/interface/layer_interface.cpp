// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/kernels/interface/layer_calls.h"

namespace mansard::kernels {
namespace {

constexpr int kCpu = MANSARD_LAYERS_CPU;

class LayerInterface : public testing::TestWithParam<Recipe> {
 protected:
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
};

TEST_P(LayerInterface, ComputesTheBitsOfLinearLayerInEveryStep) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  for (std::uint64_t step = 0; step < 3; ++step) {
    const LayerTensorsInMemory tensors(kCalledProblem, *backend_, step);
    called.run(tensors);
    expect_same(tensors.results(), reference.run(tensors));
  }
}

TEST_P(LayerInterface, ReusesTheWeightAndAccumulatesItsGradient) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  LayerTensorsInMemory first(kCalledProblem, *backend_, 0), second(kCalledProblem, *backend_, 1);
  second.dw = first.dw;
  called.run(first);
  expect_same(first.results(), reference.run(first));
  called.run(second, MANSARD_WEIGHT_SAME, MANSARD_ACCUMULATE);
  expect_same(second.results(), reference.run(second, MicroBatch::later));
}

TEST_P(LayerInterface, RunsBackwardPassesAfterSeveralForwardPasses) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  const LayerTensorsInMemory first(kCalledProblem, *backend_, 0);
  const LayerTensorsInMemory second(kCalledProblem, *backend_, 1);
  ASSERT_EQ(called.fprop(first), MANSARD_OK);
  const std::uint64_t first_pass = called.pass;
  const mansard_layer_memory first_memory = called.memory;
  called.memory = called.allocate(*backend_);
  ASSERT_EQ(called.fprop(second), MANSARD_OK);
  std::swap(called.memory, const_cast<mansard_layer_memory&>(first_memory));
  std::swap(called.pass, const_cast<std::uint64_t&>(first_pass));
  if (GetParam() == Recipe::fp8_delayed) {
    EXPECT_EQ(called.dgrad(first), MANSARD_OUT_OF_ORDER);
    EXPECT_NE(std::string(mansard_layers_error()).find("replaced the scales"), std::string::npos);
    return;
  }
  EXPECT_EQ(called.dgrad(first), MANSARD_OK);
  EXPECT_EQ(called.wgrad(first), MANSARD_OK);
  expect_same(first.results(), reference.run(first));
  called.memory = first_memory;
  called.pass = first_pass;
  EXPECT_EQ(called.dgrad(second), MANSARD_OK);
  EXPECT_EQ(called.wgrad(second), MANSARD_OK);
  expect_same(second.results(), reference.run(second));
}

TEST_P(LayerInterface, LayersAreIndependent) {
  const auto backend = make_cpu_backend();
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend);
  LinearProblem other = kCalledProblem;
  other.tokens = 32;
  CalledLayer called(kCalledProblem, GetParam(), *backend, kCpu);
  const LayerTensorsInMemory tensors(kCalledProblem, *backend, 0);
  {
    CalledLayer neighbor(other, GetParam(), *backend, kCpu);
    const LayerTensorsInMemory its_tensors(other, *backend, 1);
    // Alternating, and from another thread.
    EXPECT_EQ(called.fprop(tensors), MANSARD_OK);
    std::thread([&] { neighbor.run(its_tensors); }).join();
    EXPECT_EQ(called.dgrad(tensors), MANSARD_OK);
    std::thread([&] { neighbor.run(its_tensors); }).join();
  }
  EXPECT_EQ(called.wgrad(tensors), MANSARD_OK);
  expect_same(tensors.results(), reference.run(tensors));
}

TEST_P(LayerInterface, QuantizesDyWithoutComputingDx) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  LayerTensorsInMemory tensors(kCalledProblem, *backend_, 0);
  Bf16* const dx = tensors.dx;
  const LayerResults before = tensors.results();
  tensors.dx = nullptr;
  called.run(tensors);
  tensors.dx = dx;
  EXPECT_TRUE(same_bytes(tensors.results().dx, before.dx));
  EXPECT_TRUE(same_bytes(tensors.results().dw, reference.run(tensors).dw));
}

// The addresses differ in every pass, so that plans are made and dropped all the time.
TEST_P(LayerInterface, TakesMemoryAtAnyNumberOfAddresses) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  std::vector<std::unique_ptr<LayerTensorsInMemory>> all;
  for (std::uint64_t step = 0; step < 20; ++step) {
    all.push_back(std::make_unique<LayerTensorsInMemory>(kCalledProblem, *backend_, step));
    called.memory = called.allocate(*backend_);
    called.run(*all.back());
    expect_same(all.back()->results(), reference.run(*all.back()));
  }
}

TEST_P(LayerInterface, RefusesPassesOutOfOrder) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  const LayerTensorsInMemory tensors(kCalledProblem, *backend_, 0);
  EXPECT_EQ(called.dgrad(tensors), MANSARD_INVALID_ARGUMENT) << "no forward pass";
  EXPECT_EQ(called.fprop(tensors, MANSARD_WEIGHT_SAME), MANSARD_OUT_OF_ORDER);
  ASSERT_EQ(called.fprop(tensors), MANSARD_OK);
  EXPECT_EQ(called.wgrad(tensors), MANSARD_OUT_OF_ORDER);
  EXPECT_EQ(called.dgrad(tensors), MANSARD_OK);
  void* const scratch = called.memory.scratch;
  if (scratch != nullptr) {
    called.memory.scratch = called.allocate(*backend_).scratch;
    EXPECT_EQ(called.wgrad(tensors), MANSARD_OUT_OF_ORDER);
    called.memory.scratch = scratch;
  }
  // None of these changed the layer.
  EXPECT_EQ(called.wgrad(tensors), MANSARD_OK);
  expect_same(tensors.results(), reference.run(tensors));
}

TEST_P(LayerInterface, RefusesPointersThatItCannotUse) {
  ReferenceLayer reference(kCalledProblem, GetParam(), *backend_);
  CalledLayer called(kCalledProblem, GetParam(), *backend_, kCpu);
  LayerTensorsInMemory tensors(kCalledProblem, *backend_, 0);
  Bf16* const x = tensors.x;
  tensors.x = nullptr;
  EXPECT_EQ(called.fprop(tensors), MANSARD_INVALID_ARGUMENT);
  EXPECT_STREQ(mansard_layers_error(), "mansard_layer_fprop: x is null");
  tensors.x = x + 1;
  EXPECT_EQ(called.fprop(tensors), MANSARD_INVALID_ARGUMENT);
  EXPECT_STREQ(mansard_layers_error(), "mansard_layer_fprop: x is not aligned to 16 bytes");
  tensors.x = x;
  if (called.sizes.activation > 0) {
    const mansard_layer_memory memory = called.memory;
    called.memory.activation = nullptr;
    EXPECT_EQ(called.fprop(tensors), MANSARD_INVALID_ARGUMENT);
    EXPECT_STREQ(mansard_layers_error(), "mansard_layer_fprop: memory->activation is null");
    called.memory = memory;
  }
  called.stream = &tensors;
  EXPECT_EQ(called.fprop(tensors), MANSARD_INVALID_ARGUMENT) << "the CPU has no streams";
  called.stream = nullptr;
  EXPECT_EQ(called.fprop(tensors, 2), MANSARD_INVALID_ARGUMENT);
  called.run(tensors);
  expect_same(tensors.results(), reference.run(tensors));
}

INSTANTIATE_TEST_SUITE_P(Recipes, LayerInterface, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(LayerInterfaceMemory, KeepsQuantizedTensorsOnlyAsLongAsNeeded) {
  const auto backend = make_cpu_backend();
  const LinearProblem p = {"square", 1024, 1024, 1024};
  const CalledLayer bf16(p, Recipe::bf16, *backend, kCpu);
  EXPECT_EQ(bf16.sizes.activation, 0);
  EXPECT_EQ(bf16.sizes.weight, 0);
  EXPECT_TRUE(bf16.sizes.backward_reads_x_and_w);
  const CalledLayer fp8(p, Recipe::fp8, *backend, kCpu);
  EXPECT_FALSE(fp8.sizes.backward_reads_x_and_w);
  // Codes in both directions and the scales.
  constexpr std::int64_t kCodes = std::int64_t{2} << 20;
  EXPECT_NEAR(static_cast<double>(fp8.sizes.activation), kCodes, 2048);
  EXPECT_NEAR(static_cast<double>(fp8.sizes.weight), kCodes, 2048);
  EXPECT_NEAR(static_cast<double>(fp8.sizes.backward_scratch - fp8.sizes.forward_scratch), kCodes,
              2048);
}

TEST(LayerInterfaceErrors, NameWhatIsWrong) {
  mansard_layer* layer = nullptr;
  mansard_layer_config config = {"nvfp4", 64, 64, 64, 1, kCpu};
  EXPECT_EQ(mansard_layer_create(&config, nullptr), MANSARD_INVALID_ARGUMENT);
  EXPECT_EQ(mansard_layer_create(nullptr, &layer), MANSARD_INVALID_ARGUMENT);
  config.recipe = "fp3";
  EXPECT_EQ(mansard_layer_create(&config, &layer), MANSARD_INVALID_ARGUMENT);
  EXPECT_EQ(layer, nullptr);
  EXPECT_NE(std::string(mansard_layers_error()).find("no recipe 'fp3'; recipes are bf16"),
            std::string::npos)
      << mansard_layers_error();
  config.recipe = "nvfp4";
  config.tokens = 24;
  EXPECT_EQ(mansard_layer_create(&config, &layer), MANSARD_INVALID_ARGUMENT);
  EXPECT_NE(std::string(mansard_layers_error()).find("multiple of 16"), std::string::npos);
  config.tokens = 64;
  config.device = 4096;
  EXPECT_EQ(mansard_layer_create(&config, &layer), MANSARD_INVALID_ARGUMENT);
  EXPECT_NE(std::string(mansard_layers_error()).find("CUDA device 4096"), std::string::npos);
  mansard_layer_sizes sizes;
  EXPECT_EQ(mansard_layer_get_sizes(nullptr, &sizes), MANSARD_INVALID_ARGUMENT);
  EXPECT_EQ(mansard_layer_fprop(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                MANSARD_WEIGHT_NEW, nullptr),
            MANSARD_INVALID_ARGUMENT);
  mansard_layer_destroy(nullptr);
}

TEST(LayerInterfaceErrors, BelongToTheCallingThread) {
  EXPECT_EQ(mansard_layer_get_sizes(nullptr, nullptr), MANSARD_INVALID_ARGUMENT);
  std::thread([] { EXPECT_STREQ(mansard_layers_error(), ""); }).join();
  EXPECT_STREQ(mansard_layers_error(), "mansard_layer_get_sizes: layer is null");
}

TEST(LayerInterfaceNames, AreThoseOfTheHeaderAndTheRecipes) {
  EXPECT_EQ(mansard_layers_version(), MANSARD_LAYERS_VERSION);
  EXPECT_TRUE(std::string(mansard_layers_recipes()).starts_with("bf16 fp8 fp8_delayed "));
}

}  // namespace
}  // namespace mansard::kernels
