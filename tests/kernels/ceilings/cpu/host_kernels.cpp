// SPDX-License-Identifier: Apache-2.0
// The registered host kernels, in every instruction set of this CPU.
#include <cctype>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/working_sets.h"
#include "kernels/device/instruction_set.h"
#include "kernels/kernel.h"
#include "tests/kernels/ceilings/cpu/of_size.h"

namespace mansard::kernels {
namespace {

constexpr std::int64_t kSmallBytes = 96 * 1024;

const KernelSpec& spec(const std::string& name) {
  const KernelSpec* found = kernel_registry().find(name);
  if (found == nullptr) throw std::runtime_error(name + " is not registered");
  return *found;
}

// The topology is read once: the cases of all tests are made at the start of each of them.
DeviceInfo host_with(InstructionSet set) {
  static const DeviceInfo host = host_device();
  DeviceInfo device = host;
  device.instruction_set = to_string(set);
  return device;
}

class HostKernels : public testing::TestWithParam<std::tuple<std::string, InstructionSet>> {
 protected:
  const KernelSpec& spec_ = spec(std::get<0>(GetParam()));
  const DeviceInfo device_ = host_with(std::get<1>(GetParam()));
  const bool swept_ = static_cast<bool>(spec_.working_sets);
  const PrepareOptions options_ = swept_ ? of_size(kSmallBytes) : PrepareOptions{};
};

TEST_P(HostKernels, ComputeCorrectResults) {
  ASSERT_EQ(spec_.unsupported(device_), "");
  EXPECT_EQ(spec_.prepare(device_, options_)->verify(), "");
}

TEST_P(HostKernels, VerifyOnFreshDataEachTime) {
  for (const std::uint64_t seed : {7u, 8u}) {
    PrepareOptions options = options_;
    options.seed = seed;
    const auto kernel = spec_.prepare(device_, options);
    kernel->launch(nullptr);
    EXPECT_EQ(kernel->verify(), "") << "seed " << seed;
    EXPECT_EQ(kernel->verify(), "") << "the second time";
  }
}

// A ceiling with its own data gets no pattern from the engine; the machine model names the data.
TEST_P(HostKernels, DescribeTheirData) {
  EXPECT_FALSE(spec_.uses_data_pattern);
  EXPECT_FALSE(spec_.fixed_pattern.empty());
}

TEST_P(HostKernels, ReportTheirTimeAndClock) {
  const auto kernel = spec_.prepare(device_, options_);
  EXPECT_EQ(kernel->elapsed_device_s(), 0);
  kernel->launch(nullptr);
  // Repetitions are chosen for at least a millisecond; a busy machine only adds to it.
  EXPECT_GT(kernel->elapsed_device_s(), 0.5e-3);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_LT(kernel->elapsed_cycles() / kernel->elapsed_device_s(), 10e9);
  EXPECT_GT(kernel->elapsed_cycles() / kernel->elapsed_device_s(), 10e6);
#endif
}

TEST_P(HostKernels, ReportTheirParameters) {
  const auto parameters = spec_.prepare(device_, options_)->parameters();
  if (spec_.role != KernelRole::compute_ceiling || parameters.contains("fma_units")) {
    EXPECT_EQ(parameters.at("instruction_set"), device_.instruction_set);
  }
  const bool one_thread = spec_.role == KernelRole::latency_ceiling;
  EXPECT_EQ(parameters.at("threads"), std::to_string(one_thread ? 1 : device_.units));
  if (spec_.role == KernelRole::bandwidth_ceiling) {
    EXPECT_GT(std::stoll(parameters.at("repetitions")), 1);
    EXPECT_GE(std::stoi(parameters.at("numa_nodes")), 1);
  }
}

std::string case_name(const testing::TestParamInfo<HostKernels::ParamType>& info) {
  std::string name = std::get<0>(info.param) + std::string("_");
  for (const char c : to_string(std::get<1>(info.param))) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

// Every host kernel in every supported set of this CPU.
std::vector<HostKernels::ParamType> cases() {
  std::vector<HostKernels::ParamType> all;
  for (const KernelSpec& each : kernel_registry().all()) {
    if (each.target != Target::host || !each.name.starts_with("cpu_")) continue;
    for (const InstructionSet set : supported_instruction_sets()) {
      if (each.unsupported(host_with(set)).empty()) all.emplace_back(each.name, set);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySet, HostKernels, testing::ValuesIn(cases()), case_name);

TEST(HostKernelPeak, UsesTheSameUnitsForBothFmaPrecisions) {
  for (const InstructionSet set : supported_instruction_sets()) {
    const DeviceInfo device = host_with(set);
    const auto parameters = spec("cpu_fma_fp64").prepare(device, {})->parameters();
    EXPECT_GE(std::stoi(parameters.at("fma_units")), 1);
    EXPECT_EQ(spec("cpu_fma_fp32").peak_per_clock(device),
              2 * spec("cpu_fma_fp64").peak_per_clock(device));
  }
}

TEST(HostKernelWork, CountsTwoFlopPerFma) {
  const DeviceInfo device = host_device();
  const auto fp64 = spec("cpu_fma_fp64").prepare(device, {})->work();
  const auto fp32 = spec("cpu_fma_fp32").prepare(device, {})->work();
  EXPECT_TRUE(fp64.bytes.empty());
  EXPECT_EQ(fp32.flop, 2 * fp64.flop);
  // 16 million vectors per thread, rounded down to whole rounds.
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

TEST(HostKernelWork, RoundsTheWorkingSetDownAndReportsIt) {
  const DeviceInfo device = host_device();
  const std::int64_t asked = 24 * 1024 * device.units + 1000;
  const auto kernel = spec("cpu_triad").prepare(device, of_size(asked));
  EXPECT_EQ(std::stoll(kernel->parameters().at("working_set_bytes")), 24 * 1024 * device.units);
}

constexpr const char* kNames[] = {"cpu_fma_fp64",    "cpu_fma_fp32", "cpu_dot_int8", "cpu_dot_bf16",
                                  "cpu_amx_int8",    "cpu_amx_bf16", "cpu_triad",    "cpu_read",
                                  "cpu_read_remote", "cpu_latency"};

TEST(HostKernelErrors, RejectUnsupportedDevices) {
  for (const char* name : kNames) {
    DeviceInfo gpu;
    gpu.target = Target::cuda;
    EXPECT_NE(spec(name).unsupported(gpu), "") << name;
    DeviceInfo other = host_device();
    other.instruction_set = "MMX";
    EXPECT_NE(spec(name).unsupported(other).find("MMX"), std::string::npos) << name;
    EXPECT_THROW(spec(name).prepare(other, {}), std::runtime_error) << name;
  }
}

// If unsupported() gives a reason, prepare() throws with the same reason.
TEST(HostKernelErrors, PrepareGivesTheReasonOfUnsupported) {
  for (const InstructionSet set : supported_instruction_sets()) {
    const DeviceInfo device = host_with(set);
    for (const char* name : kNames) {
      const std::string reason = spec(name).unsupported(device);
      if (reason.empty()) continue;
      EXPECT_EQ(spec(name).peak_per_clock(device), 0) << name;
      try {
        spec(name).prepare(device, {});
        ADD_FAILURE() << name << " was prepared although: " << reason;
      } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
      }
    }
  }
}

TEST(HostKernelErrors, RejectInvalidWorkingSets) {
  const DeviceInfo device = host_device();
  for (const char* name : {"cpu_triad", "cpu_read", "cpu_latency"}) {
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
}  // namespace mansard::kernels
