// SPDX-License-Identifier: Apache-2.0
// Inputs from users and data files: layer sets, assumptions, machines.
#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/layer_set.h"
#include "analyzer/predict/predict_data.h"
#include "analyzer/predict/target_machine.h"
#include "tests/analyzer/predict/error_of.h"

namespace mansard::analysis {
namespace {

using Set = std::vector<bool>;

TEST(PredictLayerSet, ParsesEndsNumbersAndRanges) {
  EXPECT_EQ(parse_layer_set("none", 3), (Set{false, false, false}));
  EXPECT_EQ(parse_layer_set("all", 2), (Set{true, true}));
  EXPECT_EQ(parse_layer_set("first:1,last:2", 5), (Set{true, false, false, true, true}));
  EXPECT_EQ(parse_layer_set("first:1;last:1", 3), (Set{true, false, true}));
  EXPECT_EQ(parse_layer_set("0,2-3", 5), (Set{true, false, true, true, false}));
  EXPECT_EQ(parse_layer_set("first:5", 5), Set(5, true));
}

TEST(PredictLayerSet, ErrorsNameTheInvalidPart) {
  EXPECT_TRUE(says(error_of([] { parse_layer_set("5", 5); }), "'5' exceeds the model's 5"));
  EXPECT_TRUE(says(error_of([] { parse_layer_set("last:6", 5); }), "'last:6' exceeds"));
  EXPECT_TRUE(says(error_of([] { parse_layer_set("3-1", 5); }), "ends before it starts"));
  EXPECT_TRUE(says(error_of([] { parse_layer_set("first:", 5); }), "is not valid"));
  EXPECT_TRUE(says(error_of([] { parse_layer_set("0,,1", 5); }), "'' is not valid"));
  EXPECT_TRUE(says(error_of([] { parse_layer_set("-1", 5); }), "'-1' is not valid"));
}

TEST(PredictAssumptions, HaveASourceAndValidDefaults) {
  const Assumptions defaults;
  for (const AssumptionInfo& info : assumption_list()) {
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_GE(defaults.*info.value, info.least) << info.name;
    EXPECT_LE(defaults.*info.value, info.most) << info.name;
    EXPECT_EQ(find_assumption(info.name)->value, info.value);
  }
  EXPECT_EQ(find_assumption("nvlink"), nullptr);
}

TEST(PredictAssumptions, RejectValuesOutOfRange) {
  Assumptions a;
  const AssumptionInfo& info = *find_assumption("data_overlap");
  set_assumption(a, info, 1);
  EXPECT_EQ(a.data_overlap, 1);
  EXPECT_TRUE(says(error_of([&] { set_assumption(a, info, 1.1); }),
                   "data_overlap = 1.1: must be between 0 and 1"));
  EXPECT_NE(error_of([&] { set_assumption(a, info, std::nan("")); }), "");
}

TEST(PredictMachines, AreFoundByKeyAndDatasheetName) {
  for (const std::string& name : target_machine_names()) {
    const std::optional<TargetMachine> machine = find_target_machine(name);
    ASSERT_TRUE(machine) << name;
    EXPECT_GT(machine->peak(Precision::bf16), 1e14) << name;
    EXPECT_GT(machine->hbm_bytes_per_s, 1e12) << name;
    EXPECT_EQ(find_target_machine(machine->name)->name, machine->name);
  }
  EXPECT_EQ(find_target_machine("GB 200")->name, "GB200");
  EXPECT_FALSE(find_target_machine("gb2000"));
}

// 1 - 0.16 x fraction x 2500 TFLOP/s / 1200 W.
TEST(PredictMachines, SustainedRateDependsOnPower) {
  const TargetMachine gb200 = *find_target_machine("gb200");
  EXPECT_DOUBLE_EQ(gb200.sustained(0.6, 0.16), 1 - 0.16 * 0.6 * 2500 / 1200);
  EXPECT_EQ(gb200.sustained(1, 0), 1);
}

// Memory available to programs; for an H200 it is in examples/h200/machine.json.
TEST(PredictMachines, HaveHostMemoryAndAttention) {
  EXPECT_TRUE(find_target_machine("gb300")->grace_host);
  EXPECT_FALSE(find_target_machine("b300")->grace_host);
  EXPECT_NEAR(find_target_machine("h200")->memory_bytes, 150109880320.0, 0.1e9);
  for (const std::string& name : target_machine_names()) {
    const bool borrowed = name != "h200" && name != "gb200" && name != "gb300";
    EXPECT_EQ(find_target_machine(name)->attention_kinship != TargetMachine::Kinship::same_gpu,
              borrowed)
        << name;
  }
}

TEST(PredictMachines, MeasuredCeilingsReplaceAssumptions) {
  roofline::MachineModel model;
  model.name = "mine";
  roofline::DeviceModel device;
  device.device.target = kernels::Target::cuda;
  device.device.name = "NVIDIA H200";
  device.device.memory_bytes = 140e9;
  roofline::Ceiling hbm;
  hbm.id = "hbm_read";
  hbm.role = kernels::KernelRole::bandwidth_ceiling;
  hbm.level = MemoryLevel::hbm;
  hbm.value = 4.6e12;
  roofline::Ceiling burst;
  burst.id = "cublaslt_bf16";
  burst.precision = Precision::bf16;
  burst.value = 800e12;
  roofline::Ceiling settled = burst;
  settled.id = "cublaslt_bf16@sustained";
  settled.value = 680e12;
  device.ceilings = {hbm, burst, settled};
  model.devices = {device};
  const TargetMachine m = target_machine_of(model);
  EXPECT_EQ(m.hbm_bytes_per_s, 4.6e12);
  EXPECT_EQ(m.memory_bytes, 140e9);
  // 15 % lost at 800 of 989 TFLOP/s; half of that fraction loses half, whatever the assumption.
  EXPECT_NEAR(m.sustained(800.0 / 989, 0.9), 0.85, 1e-12);
  EXPECT_NEAR(m.sustained(400.0 / 989, 0.9), 0.925, 1e-12);

  model.devices[0].device.name = "NVIDIA Unheard";
  EXPECT_TRUE(says(error_of([&] { target_machine_of(model); }), "'NVIDIA Unheard'"));
  model.devices.clear();
  EXPECT_TRUE(says(error_of([&] { target_machine_of(model); }), "has no GPU"));
}

}  // namespace
}  // namespace mansard::analysis
