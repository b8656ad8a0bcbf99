// SPDX-License-Identifier: Apache-2.0
// The kernels of MoR against the reference.
#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/mor/mor.h"
#include "kernels/mor/reference.h"
#include "tests/kernels/mor/mor_inputs.h"

namespace mansard::kernels::mor {
namespace {

constexpr float kThresholds[] = {0.0f, 0.01f, 0.0226f, 0.03f, 0.05f, 1e30f};

void expect_equal(const Counts& a, const Counts& b) {
  for (int r = 0; r < kRepresentations; ++r) {
    EXPECT_EQ(a.blocks[r], b.blocks[r]) << r;
    EXPECT_EQ(a.elements[r], b.elements[r]) << r;
  }
}

std::vector<MorInput> inputs() {
  std::vector<MorInput> all = mor_inputs();
  all.push_back(normal_input({2048, 1024}));
  all.push_back(wide_input({1040, 2000}, 24.0));
  return all;
}

TEST(MorOnGpu, BlocksMatchTheReferenceBitForBit) {
  for (const MorInput& input : inputs()) {
    const float amax = input.amax();
    const DeviceBuffer<Bf16> x(input.x);
    const DeviceBuffer<float> device_amax(std::vector{amax});
    DeviceBuffer<Bf16> out(input.x.size());
    for (const float threshold : kThresholds) {
      SCOPED_TRACE(input.name + ", threshold " + std::to_string(threshold));
      Counts counts;
      const DeviceBuffer<Counts> device_counts(std::vector{counts});
      std::vector<Bf16> expected(input.x.size());
      reference::quantize_blocks(input.x.data(), input.shape, amax, threshold, &counts,
                                 expected.data());
      out.fill_bytes(0xff);
      quantize_blocks(x.get(), input.shape, device_amax.get(), threshold, device_counts.get(),
                      out.get(), nullptr);
      EXPECT_TRUE(out.to_host() == expected);
      expect_equal(device_counts.to_host().front(), counts);
    }
  }
}

// The choice and the counts are reused by all launches.
TEST(MorOnGpu, TensorsMatchTheReferenceBitForBit) {
  Counts counts;
  TensorChoice choice;
  const DeviceBuffer<Counts> device_counts(std::vector{counts});
  const DeviceBuffer<TensorChoice> device_choice(std::vector{choice});
  for (const MorInput& input : inputs()) {
    const float amax = input.amax();
    const DeviceBuffer<Bf16> x(input.x);
    const DeviceBuffer<float> device_amax(std::vector{amax});
    DeviceBuffer<Bf16> out(input.x.size());
    for (const float threshold : kThresholds) {
      SCOPED_TRACE(input.name + ", threshold " + std::to_string(threshold));
      std::vector<Bf16> expected(input.x.size());
      reference::choose(input.x.data(), input.shape, amax, threshold, &counts, &choice);
      reference::quantize_tensor(input.x.data(), input.shape, amax, choice, expected.data());
      out.fill_bytes(0xff);
      choose(x.get(), input.shape, device_amax.get(), threshold, device_counts.get(),
             device_choice.get(), nullptr);
      quantize_tensor(x.get(), input.shape, device_amax.get(), device_choice.get(), out.get(),
                      nullptr);
      EXPECT_TRUE(out.to_host() == expected);
      expect_equal(device_counts.to_host().front(), counts);
      const TensorChoice after = device_choice.to_host().front();
      EXPECT_EQ(after.representation, choice.representation);
      EXPECT_EQ(after.error[0] | after.error[1] | after.magnitude | after.arrived, 0u);
    }
  }
}

TEST(MorOnGpu, RefusesEmptyMatrices) {
  EXPECT_THROW(quantize_blocks(nullptr, {0, 5}, nullptr, 0, nullptr, nullptr, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace mansard::kernels::mor
