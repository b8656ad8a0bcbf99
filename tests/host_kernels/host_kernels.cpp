// SPDX-License-Identifier: Apache-2.0
// The registered host kernels, in every instruction set of this CPU.
#include <cctype>
#include <stdexcept>
#include <tuple>

#include <gtest/gtest.h>

#include "kernels/cpu/working_sets.h"
#include "kernels/device/instruction_set.h"
#include "kernels/kernel.h"

namespace mansard {
namespace {

constexpr std::int64_t kSmallBytes = 96 * 1024;

PrepareOptions of_size(std::int64_t bytes) {
  PrepareOptions options;
  options.shape = {bytes};
  return options;
}

const KernelSpec& spec(const std::string& name) {
  const KernelSpec* found = kernel_registry().find(name);
  if (found == nullptr) throw std::runtime_error(name + " is not registered");
  return *found;
}

DeviceInfo host_with(InstructionSet set) {
  DeviceInfo device = host_device();
  device.instruction_set = to_string(set);
  return device;
}

class HostKernels : public testing::TestWithParam<std::tuple<const char*, InstructionSet>> {
 protected:
  const KernelSpec& spec_ = spec(std::get<0>(GetParam()));
  const DeviceInfo device_ = host_with(std::get<1>(GetParam()));
  const bool swept_ = spec_.role == KernelRole::bandwidth_ceiling;
  const PrepareOptions options_ = swept_ ? of_size(kSmallBytes) : PrepareOptions{};
};

TEST_P(HostKernels, ComputeTheRightThing) {
  ASSERT_EQ(spec_.unsupported(device_), "");
  EXPECT_EQ(spec_.prepare(device_, options_)->verify(), "");
}

TEST_P(HostKernels, VerifyWhateverTheTimedDataAre) {
  for (const DataPattern pattern : {DataPattern::zeros, DataPattern::random_uniform}) {
    PrepareOptions options = options_;
    options.pattern = pattern;
    options.seed = 7;
    const auto kernel = spec_.prepare(device_, options);
    kernel->launch(nullptr);
    EXPECT_EQ(kernel->verify(), "") << to_string(pattern);
    EXPECT_EQ(kernel->verify(), "") << "the second time";
  }
}

TEST_P(HostKernels, ReportTheirTimeAndClock) {
  const auto kernel = spec_.prepare(device_, options_);
  EXPECT_EQ(kernel->elapsed_device_s(), 0);
  kernel->launch(nullptr);
  // Repetitions are chosen for a millisecond or more; a busy machine only adds to it.
  EXPECT_GT(kernel->elapsed_device_s(), 0.5e-3);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_LT(kernel->elapsed_cycles() / kernel->elapsed_device_s(), 10e9);
  EXPECT_GT(kernel->elapsed_cycles() / kernel->elapsed_device_s(), 10e6);
#endif
}

TEST_P(HostKernels, SayWhatWasChosen) {
  const auto parameters = spec_.prepare(device_, options_)->parameters();
  EXPECT_EQ(parameters.at("instruction_set"), device_.instruction_set);
  EXPECT_EQ(parameters.at("threads"), std::to_string(device_.units));
  if (swept_) {
    EXPECT_GT(std::stoll(parameters.at("repetitions")), 1);
  } else {
    EXPECT_GE(std::stoi(parameters.at("fma_units")), 1);
    // Both precisions run in the same units, so the theory follows from the vector's width.
    const double lanes = spec_.precision == Precision::fp64 ? 1 : 2;
    EXPECT_EQ(spec_.peak_per_clock(device_), lanes * spec("cpu_fma_fp64").peak_per_clock(device_));
  }
}

std::string case_name(const testing::TestParamInfo<HostKernels::ParamType>& info) {
  std::string name = std::get<0>(info.param) + std::string("_");
  for (const char c : to_string(std::get<1>(info.param))) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(EverySet, HostKernels,
                         testing::Combine(testing::Values("cpu_fma_fp64", "cpu_fma_fp32",
                                                          "cpu_triad", "cpu_read"),
                                          testing::ValuesIn(supported_instruction_sets())),
                         case_name);

TEST(HostKernelWork, CountsTwoFlopAnFma) {
  const DeviceInfo device = host_device();
  const auto fp64 = spec("cpu_fma_fp64").prepare(device, {})->work();
  const auto fp32 = spec("cpu_fma_fp32").prepare(device, {})->work();
  EXPECT_TRUE(fp64.bytes.empty());
  EXPECT_EQ(fp32.flop, 2 * fp64.flop);
  // 16 million vectors a thread, down to a whole number of rounds.
  const int lanes = device.instruction_set == "AVX-512"    ? 8
                    : device.instruction_set == "AVX2+FMA" ? 4
                                                           : 2;
  EXPECT_LE(fp64.flop, 2.0 * 16e6 * lanes * device.units);
  EXPECT_GE(fp64.flop, 2.0 * 15.9e6 * lanes * device.units);
}

TEST(HostKernelWork, CountsTheBytesOfStream) {
  const DeviceInfo device = host_device();
  const std::int64_t elements_a_thread = 1024;
  const auto triad = spec("cpu_triad").prepare(device, of_size(24 * 1024 * device.units));
  const double triad_passes = std::stod(triad->parameters().at("repetitions"));
  const double triad_elements = static_cast<double>(elements_a_thread * device.units);
  const Work work = triad->work();
  ASSERT_EQ(work.bytes.size(), 1u);
  EXPECT_EQ(work.bytes.begin()->first, level_holding(device, 24 * 1024 * device.units));
  EXPECT_EQ(work.bytes.begin()->second, 24 * triad_elements * triad_passes);
  EXPECT_DOUBLE_EQ(work.flop, 2 * triad_elements * triad_passes);

  const auto read = spec("cpu_read").prepare(device, of_size(16 * 1024 * device.units));
  const double read_passes = std::stod(read->parameters().at("repetitions"));
  EXPECT_EQ(read->work().bytes.begin()->second, 16 * triad_elements * read_passes);
  EXPECT_DOUBLE_EQ(read->work().flop, 2 * triad_elements * read_passes);
}

TEST(HostKernelWork, RoundsTheWorkingSetDownAndSaysSo) {
  const DeviceInfo device = host_device();
  const std::int64_t asked = 24 * 1024 * device.units + 1000;
  const auto kernel = spec("cpu_triad").prepare(device, of_size(asked));
  EXPECT_EQ(std::stoll(kernel->parameters().at("working_set_bytes")), 24 * 1024 * device.units);
}

TEST(HostKernelErrors, RefuseWhatTheyCannotRun) {
  for (const char* name : {"cpu_fma_fp64", "cpu_fma_fp32", "cpu_triad", "cpu_read"}) {
    DeviceInfo gpu;
    gpu.target = Target::cuda;
    EXPECT_NE(spec(name).unsupported(gpu), "");
    DeviceInfo other = host_device();
    other.instruction_set = "MMX";
    EXPECT_NE(spec(name).unsupported(other).find("MMX"), std::string::npos);
    EXPECT_THROW(spec(name).prepare(other, {}), std::runtime_error);
  }
}

TEST(HostKernelErrors, RefuseAWorkingSetThatIsNotOne) {
  const DeviceInfo device = host_device();
  for (const char* name : {"cpu_triad", "cpu_read"}) {
    EXPECT_THROW(spec(name).prepare(device, of_size(100)), std::runtime_error);
    EXPECT_THROW(spec(name).prepare(device, of_size(0)), std::runtime_error);
    EXPECT_THROW(spec(name).prepare(device, of_size(-4096)), std::runtime_error);
    EXPECT_THROW(spec(name).prepare(device, of_size(std::int64_t{1} << 60)), std::runtime_error);
    PrepareOptions matrix;
    matrix.shape = {4096, 4096};
    EXPECT_THROW(spec(name).prepare(device, matrix), std::runtime_error);
  }
}

}  // namespace
}  // namespace mansard
