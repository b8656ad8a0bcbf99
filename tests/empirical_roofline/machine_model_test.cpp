// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/machine_model.h"

#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mansard::roofline {
namespace {

MachineModel sample_model() {
  MachineModel m;
  m.name = "a machine";
  m.provenance.date_utc = "2026-01-02T03:04:05Z";
  m.provenance.command = "mansard characterize -o 'a b.json'";
  DeviceModel d;
  d.device.target = kernels::Target::cuda;
  d.device.name = "NVIDIA \"Test\"";
  d.device.uuid = "GPU-1";
  d.device.compute_capability = 90;
  d.device.units = 132;
  Ceiling slow;
  slow.id = "mma_bf16";
  slow.role = kernels::KernelRole::compute_ceiling;
  slow.precision = Precision::bf16;
  slow.unit = "FLOP/s";
  slow.value = 6e14;
  Ceiling fast = slow;
  fast.id = "wgmma_bf16";
  fast.value = 9.4e14;
  Sample sample;
  sample.value = 9.4e14;
  sample.clock_hz = 1.7e9;
  sample.power_w = 650;
  sample.temperature_c = 61;
  sample.fraction = 0.9998;
  sample.campaign = 2;
  sample.throttled = true;
  sample.settling = true;
  fast.samples = {sample, Sample{.value = 9.3e14, .clock_hz = 1.69e9}};
  fast.uncertainty = 0.002;
  fast.campaigns = 3;
  fast.temperature_c = 61;
  fast.fraction_of_theory_at_boost = 0.88;
  fast.throttled_by = "software power cap";
  fast.parameters = {{"tile", "64x256"}};
  fast.regime = Regime::sustained;
  fast.data_pattern = "zeros";
  Ceiling hbm;
  hbm.id = "hbm_copy";
  hbm.role = kernels::KernelRole::bandwidth_ceiling;
  hbm.level = MemoryLevel::hbm;
  hbm.unit = "B/s";
  hbm.value = 4.1e12;
  Ceiling launch;
  launch.id = "launch_stream";
  launch.role = kernels::KernelRole::overhead_ceiling;
  launch.overhead = kernels::Overhead::kernel_launch;
  launch.unit = "s";
  launch.value = 2.5e-6;
  d.ceilings = {slow, fast, hbm, launch};
  Ceiling far = hbm;
  far.id = "l2_far";
  far.value = 9e12;
  far.roof = false;
  Ceiling wait = launch;
  wait.id = "synchronize_stream";
  wait.overhead = kernels::Overhead::synchronize;
  wait.value = 1e-6;
  d.ceilings.push_back(far);
  d.ceilings.push_back(wait);
  d.sweep = {{"cpu_triad", 65536, 1e11}, {"latency_chase", 4096, 2e-8, "s"}};
  d.plateaus = {{"latency_chase", MemoryLevel::l2, 1.4e-7, "s", 1e6, 3e7}};
  m.devices = {d};
  return m;
}

TEST(MachineModel, LooksUpTheBestCeilingOfAPrecisionAndATier) {
  const DeviceModel d = sample_model().devices[0];
  EXPECT_EQ(d.compute(Precision::bf16)->id, "mma_bf16") << "the other is on zeros";
  EXPECT_EQ(d.compute(Precision::fp64), nullptr);
  EXPECT_EQ(d.bandwidth(MemoryLevel::hbm)->id, "hbm_copy");
  EXPECT_EQ(d.bandwidth(MemoryLevel::l2), nullptr);
  EXPECT_DOUBLE_EQ(*d.launch_s(), 2.5e-6) << "waiting for a stream is not a launch";
  EXPECT_FALSE(DeviceModel{}.launch_s().has_value());
}

// Zeros run at clocks that real data cannot reach, so they must not be the roof of a program.
TEST(MachineModel, ACeilingOnZerosIsUsedOnlyIfThereIsNoOther) {
  DeviceModel d = sample_model().devices[0];
  Ceiling random = *d.find("wgmma_bf16");
  random.id = "wgmma_bf16_random";
  random.value = 8.6e14;
  random.data_pattern = "random_normal";
  d.ceilings.erase(d.ceilings.begin());  // leaves the one on zeros
  EXPECT_EQ(d.compute(Precision::bf16)->id, "wgmma_bf16");
  d.ceilings.push_back(random);
  EXPECT_EQ(d.compute(Precision::bf16)->id, "wgmma_bf16_random");
}

// Uniform data toggles no sign bits: more favorable than real data, less than zeros.
TEST(MachineModel, ACeilingOnUniformDataRanksBetweenNormalDataAndZeros) {
  DeviceModel d = sample_model().devices[0];
  d.ceilings.erase(d.ceilings.begin());  // leaves the one on zeros
  Ceiling uniform = *d.find("wgmma_bf16");
  uniform.id = "wgmma_bf16@random_uniform";
  uniform.data_pattern = "random_uniform";
  uniform.value *= 0.98;
  d.ceilings.push_back(uniform);
  EXPECT_EQ(d.compute(Precision::bf16)->id, "wgmma_bf16@random_uniform");
  Ceiling normal = uniform;
  normal.id = "wgmma_bf16@normal";
  normal.data_pattern = "random_normal";
  normal.value *= 0.9;
  d.ceilings.push_back(normal);
  EXPECT_EQ(d.compute(Precision::bf16)->id, "wgmma_bf16@normal");
}

// A ceiling without `roof` is not used as a roof, even if it is higher.
TEST(MachineModel, ACeilingWithoutRoofIsUsedOnlyIfThereIsNoOther) {
  DeviceModel d = sample_model().devices[0];
  EXPECT_EQ(d.bandwidth(MemoryLevel::hbm)->id, "hbm_copy") << "l2_far is higher, but not a roof";
  std::erase_if(d.ceilings, [](const Ceiling& c) { return c.id == "hbm_copy"; });
  EXPECT_EQ(d.bandwidth(MemoryLevel::hbm)->id, "l2_far");
}

// An early file, without kinds of overheads.
TEST(MachineModel, AnOverheadWithoutAKindIsALaunch) {
  nlohmann::json j = nlohmann::json::parse(to_json(sample_model()));
  j["devices"][0]["ceilings"][3].erase("overhead");
  const MachineModel m = machine_model_from_json(j.dump(), "old.json");
  EXPECT_DOUBLE_EQ(*m.devices[0].launch_s(), 2.5e-6);
}

TEST(MachineModel, FindsADeviceByUuidBeforeName) {
  MachineModel m = sample_model();
  m.devices.push_back(m.devices[0]);
  m.devices[1].device.uuid = "GPU-2";
  EXPECT_EQ(m.find_device("NVIDIA \"Test\"", "GPU-2"), &m.devices[1]);
  EXPECT_EQ(m.find_device("NVIDIA \"Test\"", ""), &m.devices[0]);
  EXPECT_EQ(m.find_device("NVIDIA \"Test\"", "GPU-9"), &m.devices[0]) << "another card of the kind";
  EXPECT_EQ(m.find_device("GH100", ""), nullptr);
  EXPECT_EQ(m.find_device("", ""), nullptr);
}

TEST(MachineModel, JsonKeepsEverything) {
  const MachineModel m = sample_model();
  const std::string json = to_json(m);
  const MachineModel back = machine_model_from_json(json, "test");
  EXPECT_EQ(to_json(back), json);
  const Sample& sample = back.devices[0].ceilings[1].samples[0];
  EXPECT_TRUE(sample.throttled);
  EXPECT_TRUE(sample.settling);
  EXPECT_EQ(sample.campaign, 2);
  EXPECT_DOUBLE_EQ(sample.fraction, 0.9998);
  EXPECT_EQ(back.devices[0].ceilings[1].throttled_by, "software power cap");
  EXPECT_FALSE(back.devices[0].find("l2_far")->roof);
  EXPECT_EQ(back.devices[0].find("synchronize_stream")->overhead, kernels::Overhead::synchronize);
  EXPECT_EQ(back.devices[0].sweep[1].unit, "s");
  EXPECT_EQ(back.devices[0].plateaus[0].level, MemoryLevel::l2);
  EXPECT_EQ(back.devices[0].ceilings[1].regime, Regime::sustained);
  EXPECT_EQ(back.devices[0].sweep[0].bytes, 65536);
  EXPECT_EQ(back.provenance.command, m.provenance.command);
}

std::string error_of(const std::string& json) {
  try {
    machine_model_from_json(json, "m.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(MachineModel, ReportsWhatIsWrongWithAFile) {
  EXPECT_NE(error_of("{").find("m.json"), std::string::npos);
  EXPECT_NE(error_of("[]").find("not a machine model"), std::string::npos);
  nlohmann::json j = nlohmann::json::parse(to_json(sample_model()));
  j["mansard_machine_model"] = 99;
  EXPECT_NE(error_of(j.dump()).find("schema version 99"), std::string::npos);
  EXPECT_NE(error_of(j.dump()).find("measure again"), std::string::npos);
  j = nlohmann::json::parse(to_json(sample_model()));
  j["devices"][0]["ceilings"][0]["precision"] = "fp7";
  EXPECT_NE(error_of(j.dump()).find("fp7"), std::string::npos);
  j = nlohmann::json::parse(to_json(sample_model()));
  j["devices"][0]["ceilings"][2].erase("value");
  EXPECT_NE(error_of(j.dump()).find("value"), std::string::npos);
  j = nlohmann::json::parse(to_json(sample_model()));
  j["devices"][0]["ceilings"][1]["samples"]["power_w"] = {650};
  EXPECT_NE(error_of(j.dump()).find("samples.power_w"), std::string::npos);
  j["devices"][0]["ceilings"][1]["samples"] = {1, 2, 3};
  EXPECT_NE(error_of(j.dump()).find("'samples' must be an object"), std::string::npos);
}

TEST(MachineModel, AMissingFileIsNamed) {
  try {
    load_machine_model("/nowhere/m.json");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/m.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace mansard::roofline
