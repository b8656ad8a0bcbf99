// SPDX-License-Identifier: Apache-2.0
// The kernels against the sums on the host.
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/numerics/numerics.h"
#include "tests/kernels/numerics/measured_layer.h"
#include "tests/kernels/numerics/odd_operands.h"

namespace mansard::kernels::numerics {
namespace {

TEST(NumericsOnGpu, SumsMatchThoseOnTheHost) {
  DeviceBuffer<Sums> partials(kPartialSums);
  DeviceBuffer<Sums> out(1);
  std::vector<OddOperand> operands = odd_operands();
  operands.push_back(odd_operand({4096, 1040}, false, Precision::fp8_e5m2));
  operands.push_back(odd_operand({1040, 4096}, true, Precision::nvfp4));
  for (const OddOperand& operand : operands) {
    SCOPED_TRACE(operand.name);
    const DeviceBuffer<Bf16> source(operand.source);
    const DeviceBuffer<Bf16> values(operand.values);
    const DeviceBuffer<std::uint8_t> codes(operand.codes.empty() ? std::vector<std::uint8_t>(1)
                                                                 : operand.codes);
    const DeviceBuffer<float> factor(std::vector{operand.factor});
    OperandError e = operand.error();
    e.source = source.get();
    if (e.values != nullptr) e.values = values.get();
    if (e.codes != nullptr) e.codes = codes.get();
    if (e.factor != nullptr) e.factor = factor.get();
    out.fill_bytes(0xff);
    partials.fill_bytes(0xff);
    sum_errors(e, partials.get(), out.get(), nullptr);
    const Sums sums = out.to_host().front();
    const Sums expected = sums_of(operand.error());
    EXPECT_NEAR(sums.squares, expected.squares, 1e-12 * expected.squares);
    EXPECT_NEAR(sums.error_squares, expected.error_squares, 1e-12 * expected.error_squares);
    EXPECT_EQ(sums.nonzero, expected.nonzero);
    EXPECT_EQ(sums.underflowed, expected.underflowed);
    EXPECT_EQ(sums.saturated, expected.saturated);
    EXPECT_EQ(sums.amax_bits, expected.amax_bits);

    sum_errors(e, partials.get(), out.get(), nullptr);
    const Sums again = out.to_host().front();
    EXPECT_EQ(std::memcmp(&again, &sums, sizeof sums), 0) << "deterministic";
  }
}

TEST(NumericsOnGpu, MeasurementsOfEveryRecipeMatchFp64) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  for (const Recipe recipe : kRecipes) expect_measurements_of_fp64(recipe, *backend);
  SCOPED_TRACE("without the parts of NVFP4");
  expect_measurements_of_fp64(Recipe::nvfp4, *backend, {false, false, false});
}

}  // namespace
}  // namespace mansard::kernels::numerics
