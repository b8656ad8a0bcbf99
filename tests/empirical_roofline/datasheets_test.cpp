// SPDX-License-Identifier: Apache-2.0
// The published peaks: which GPU name selects which model, and whether their numbers are
// consistent.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cmake/embedded_file.h"
#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

std::span<const EmbeddedFile> datasheet_files();  // generated

namespace {

const DeviceModel& device_of(std::string_view name) {
  const MachineModel* model = find_datasheet(name);
  if (model == nullptr) throw std::runtime_error("no datasheet for " + std::string(name));
  return model->devices.front();
}

double rate_of(std::string_view name, Precision precision) {
  const Ceiling* ceiling = device_of(name).compute(precision);
  return ceiling == nullptr ? 0 : ceiling->value;
}

double bandwidth_of(std::string_view name, MemoryLevel level) {
  const Ceiling* ceiling = device_of(name).bandwidth(level);
  return ceiling == nullptr ? 0 : ceiling->value;
}

TEST(Datasheets, AreMarkedAndCompleteEnoughForARoofline) {
  ASSERT_GE(datasheet_models().size(), 36u);
  for (const MachineModel& m : datasheet_models()) {
    SCOPED_TRACE(m.name);
    EXPECT_EQ(m.provenance.origin, Origin::datasheet);
    EXPECT_FALSE(m.provenance.source.empty());
    ASSERT_EQ(m.devices.size(), 1u);
    const DeviceModel& d = m.devices[0];
    ASSERT_NE(d.compute(Precision::fp16), nullptr);
    ASSERT_NE(d.bandwidth(MemoryLevel::hbm), nullptr);
    const bool volta = d.device.compute_capability == 70;  // Tensor Cores without BF16
    EXPECT_EQ(d.compute(Precision::bf16) == nullptr, volta);
    std::set<std::string> ids;
    for (const Ceiling& c : d.ceilings) {
      EXPECT_EQ(c.regime, Regime::theoretical);
      EXPECT_FALSE(c.source.empty()) << c.id;
      EXPECT_GT(c.value, 0) << c.id;
      EXPECT_TRUE(ids.insert(c.id).second) << c.id << " twice";
    }
    if (d.device.compute_capability >= 100) {
      ASSERT_NE(d.compute(Precision::nvfp4), nullptr);
      EXPECT_GT(d.compute(Precision::nvfp4)->value, 3.5 * d.compute(Precision::bf16)->value);
    }
  }
}

// Names as in the list of products of NVIDIA's kernel modules (README of open-gpu-kernel-modules
// 595.45.04; V100: as torch.cuda.get_device_name gives them) and in libdrm's amdgpu.ids.
struct ReportedName {
  const char* reported;
  const char* model;
};
const ReportedName kReportedNames[] = {
    {"Tesla V100-SXM2-16GB", "V100 SXM2 16GB"},
    {"Tesla V100-SXM2-32GB", "V100 SXM2 32GB"},
    {"Tesla V100-PCIE-16GB", "V100 PCIe 16GB"},
    {"Tesla V100-PCIE-32GB", "V100 PCIe 32GB"},
    {"NVIDIA A100-SXM4-40GB", "A100 SXM 40GB"},
    {"A100-SXM4-40GB", "A100 SXM 40GB"},
    {"NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"},
    {"A100-SXM4-80GB", "A100 SXM 80GB"},
    {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
    {"A100-PCIE-40GB", "A100 PCIe 40GB"},
    {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
    {"NVIDIA A10", "A10"},
    {"NVIDIA L4", "L4"},
    {"NVIDIA L40S", "L40S"},
    {"NVIDIA GeForce RTX 4090", "GeForce RTX 4090"},
    {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"},
    {"NVIDIA GeForce RTX 5090", "GeForce RTX 5090"},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000 Workstation"},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Max-Q"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Server"},
    {"NVIDIA H100 80GB HBM3", "H100 SXM"},
    {"NVIDIA H100 PCIe", "H100 PCIe"},
    {"NVIDIA H100 NVL", "H100 NVL"},
    {"NVIDIA H20", "H20"},
    {"NVIDIA H800", "H800 SXM"},
    {"NVIDIA H800 PCIe", "H800 PCIe"},
    {"NVIDIA H200", "H200 SXM"},
    {"NVIDIA H200 NVL", "H200 NVL"},
    {"NVIDIA GH200 120GB", "GH200 96GB"},
    {"NVIDIA GH200 480GB", "GH200 96GB"},
    {"NVIDIA GH200 144G HBM3e", "GH200 144GB"},
    {"NVIDIA B200", "B200 HGX"},
    {"NVIDIA GB200", "GB200"},
    {"NVIDIA B300 SXM6 AC", "B300 HGX"},
    {"NVIDIA GB300", "GB300"},
    {"AMD Instinct MI210", "Instinct MI210"},
    {"AMD Instinct MI250X", "Instinct MI250X GCD"},
    {"AMD Instinct MI300X", "Instinct MI300X"},
    {"AMD Instinct MI300X VF", "Instinct MI300X"},
    {"AMD Instinct MI325X", "Instinct MI325X"},
    {"AMD Instinct MI325X VF", "Instinct MI325X"},
    {"AMD Instinct MI355X", "Instinct MI355X"},
    {"AMD Instinct MI355X VF", "Instinct MI355X"},
};

TEST(Datasheets, AreSelectedByTheReportedName) {
  std::set<std::string> selected;
  for (const ReportedName& name : kReportedNames) {
    const MachineModel* model = find_datasheet(name.reported);
    ASSERT_NE(model, nullptr) << name.reported;
    EXPECT_EQ(model->name, name.model) << name.reported;
    selected.insert(model->name);
  }
  EXPECT_EQ(selected.size(), datasheet_models().size()) << "each model has a row above";
}

// Other hardware with a similar name, parts of a GPU, and names of dies and series.
TEST(Datasheets, OtherNamesSelectNone) {
  for (const char* name : {
           "",
           "Tesla V100",
           "Tesla V100-SXM2-32GB-LS",
           "Tesla V100-SXM3-32GB",
           "Tesla V100S-PCIE-32GB",
           "NVIDIA A100",
           "NVIDIA A100-SXM-64GB",
           "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
           "NVIDIA A100-PG509-200",
           "NVIDIA A800-SXM4-80GB",
           "NVIDIA A800 80GB PCIe",
           "NVIDIA A10G",
           "NVIDIA A10M",
           "NVIDIA A40",
           "NVIDIA L40",
           "NVIDIA L20",
           "NVIDIA GeForce RTX 4090 D",
           "NVIDIA GeForce RTX 4090 Laptop GPU",
           "NVIDIA GeForce RTX 5090 D",
           "Quadro RTX 6000",
           "NVIDIA RTX 6000D",
           "NVIDIA H100",
           "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
           "NVIDIA H20-3e",
           "NVIDIA H20 NVL16",
           "NVIDIA H800 NVL",
           "NVIDIA GH200",
           "NVIDIA GB10",
           "NVIDIA B300",
           "AMD Instinct MI250X / MI250",
           "AMD Instinct MI300A",
           "AMD Instinct MI300X HF",
           "AMD Instinct MI308X",
           "AMD Instinct MI350X",
           "GH100",
           "nvidia h100 pcie",
       }) {
    EXPECT_EQ(find_datasheet(name), nullptr) << name;
  }
}

TEST(Datasheets, SiblingsDiffer) {
  using enum MemoryLevel;
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H100 80GB HBM3", hbm), 3.35e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H100 PCIe", hbm), 2.0e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H100 NVL", hbm), 3.938e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H200", hbm), 4.8e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA A100-SXM4-40GB", hbm), 1.555e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA A100-PCIE-40GB", hbm), 1.555e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA A100-SXM4-80GB", hbm), 2.039e12);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA A100 80GB PCIe", hbm), 1.935e12);
  EXPECT_DOUBLE_EQ(rate_of("NVIDIA H100 PCIe", Precision::bf16), 756.5e12);
  EXPECT_DOUBLE_EQ(rate_of("NVIDIA H100 NVL", Precision::bf16), 835.5e12);
  EXPECT_DOUBLE_EQ(rate_of("NVIDIA H20", Precision::bf16), 148e12);
  // An H800 is an H100 with less NVLink and FP64.
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H800", nvlink), 200e9);
  EXPECT_DOUBLE_EQ(bandwidth_of("NVIDIA H100 80GB HBM3", nvlink), 450e9);
  EXPECT_DOUBLE_EQ(rate_of("NVIDIA H800", Precision::fp64), 1e12);
  // HIP lists each of the two dies of an MI250X as a device.
  EXPECT_DOUBLE_EQ(rate_of("AMD Instinct MI250X", Precision::bf16), 383e12 / 2);
  EXPECT_EQ(device_of("AMD Instinct MI250X").device.units, 110);
}

// A format with fewer bits is never slower, and the memory is faster than any link.
TEST(Datasheets, RatesAreOrderedByFormat) {
  using enum Precision;
  for (const MachineModel& m : datasheet_models()) {
    SCOPED_TRACE(m.name);
    const DeviceModel& d = m.devices[0];
    const auto ordered = [&](std::initializer_list<Precision> slow_to_fast) {
      double slower = 0;
      for (const Precision precision : slow_to_fast) {
        const Ceiling* ceiling = d.compute(precision);
        if (ceiling == nullptr) continue;
        EXPECT_GE(ceiling->value, slower) << info(precision).key;
        slower = ceiling->value;
      }
    };
    ordered({tf32, fp16, fp8_e5m2, mxfp8, mxfp4, nvfp4});
    ordered({tf32, bf16, fp8_e4m3, mxfp8, mxfp4});
    ordered({fp64, fp32, fp16});
    const auto alike = [&](Precision first, Precision second) {
      if (d.compute(first) == nullptr) return;
      EXPECT_EQ(d.compute(first)->value, d.compute(second)->value) << info(first).key;
    };
    alike(bf16, fp16);
    alike(fp8_e4m3, fp8_e5m2);
    for (const MemoryLevel level : {MemoryLevel::nvlink, MemoryLevel::pcie}) {
      const Ceiling* link = d.bandwidth(level);
      if (link == nullptr) continue;
      EXPECT_GT(d.bandwidth(MemoryLevel::hbm)->value, link->value) << link->id;
    }
  }
}

// Dense FLOP per clock and SM or CU, from the architecture whitepapers of V100, A100, GA102, Ada,
// H100 and RTX Blackwell PRO, and of CDNA 2, 3 and 4.
struct UnitRate {
  const char* instruction_set;
  std::vector<Precision> precisions;
  double flop_per_clock;
};

const std::vector<UnitRate>& unit_rates() {
  using enum Precision;
  static const std::vector<UnitRate> rates = {
      {"sm_70", {fp64}, 64},
      {"sm_70", {fp32}, 128},
      {"sm_70", {fp16}, 1024},
      {"sm_80", {fp64, fp32}, 128},
      {"sm_80", {tf32}, 1024},
      {"sm_80", {fp16, bf16}, 2048},
      {"sm_80", {int8}, 4096},
      {"sm_86", {fp32}, 256},
      {"sm_86", {tf32}, 512},
      {"sm_86", {fp16, bf16}, 1024},
      {"sm_86", {int8}, 2048},
      {"sm_89", {fp64}, 4},
      {"sm_89", {fp32}, 256},
      {"sm_89", {tf32}, 512},
      {"sm_89", {fp16, bf16}, 1024},
      {"sm_89", {fp8_e4m3, fp8_e5m2, int8}, 2048},
      {"sm_90", {fp64, fp32}, 256},
      {"sm_90", {tf32}, 2048},
      {"sm_90", {fp16, bf16}, 4096},
      {"sm_90", {fp8_e4m3, fp8_e5m2, int8}, 8192},
      {"sm_120", {fp32}, 256},
      {"sm_120", {fp16, bf16}, 1024},
      {"sm_120", {fp8_e4m3, fp8_e5m2, mxfp8}, 2048},
      {"sm_120", {mxfp4, nvfp4}, 4096},
      {"gfx90a", {fp64, fp32}, 256},
      {"gfx90a", {fp16, bf16, int8}, 1024},
      {"gfx942", {fp64, fp32}, 256},
      {"gfx942", {tf32}, 1024},
      {"gfx942", {fp16, bf16}, 2048},
      {"gfx942", {fp8_e4m3, fp8_e5m2, int8}, 4096},
      {"gfx950", {fp64}, 128},
      {"gfx950", {fp32}, 256},
      {"gfx950", {fp16, bf16}, 4096},
      {"gfx950", {fp8_e4m3, fp8_e5m2, mxfp8, int8}, 8192},
      {"gfx950", {mxfp4}, 16384},
  };
  return rates;
}

double flop_per_clock(const kernels::DeviceInfo& device, Precision precision) {
  for (const UnitRate& rate : unit_rates()) {
    if (device.instruction_set != rate.instruction_set ||
        std::ranges::find(rate.precisions, precision) == rate.precisions.end()) {
      continue;
    }
    // Tensor Cores of a GeForce accumulate in FP32 at half the rate; the other rates are full.
    const bool full = precision == Precision::fp64 || precision == Precision::fp32 ||
                      precision == Precision::int8;
    const bool geforce = device.name.find("GeForce") != std::string::npos;
    return geforce && !full ? rate.flop_per_clock / 2 : rate.flop_per_clock;
  }
  return 0;
}

TEST(Datasheets, RatesFollowFromUnitsAndClock) {
  int checked = 0;
  for (const MachineModel& m : datasheet_models()) {
    const kernels::DeviceInfo& device = m.devices[0].device;
    for (const Ceiling& c : m.devices[0].ceilings) {
      if (c.clock_hz == 0) continue;  // no clock published for this rate
      ASSERT_TRUE(c.precision) << m.name << ": " << c.id;
      const double expected = device.units * c.clock_hz * flop_per_clock(device, *c.precision);
      EXPECT_NEAR(c.value / expected, 1, 0.03) << m.name << ": " << c.id;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(Datasheets, EachNameBelongsToOneFileThatStatesReferences) {
  std::set<std::string> names;
  for (const EmbeddedFile& file : datasheet_files()) {
    SCOPED_TRACE(file.name);
    const nlohmann::json j = nlohmann::json::parse(file.content);
    const auto insert = [&](const std::string& name) {
      EXPECT_TRUE(names.insert(name).second) << name << " has two models";
      EXPECT_EQ(find_datasheet(name)->name, j.at("name"));
    };
    insert(j.at("devices").at(0).at("device").at("name"));
    for (const nlohmann::json& name : j.value("reported_as", nlohmann::json::array())) insert(name);
    int links = 0;
    for (const nlohmann::json& reference : j.at("provenance").at("references")) {
      EXPECT_FALSE(reference.at("title").get<std::string>().empty());
      EXPECT_FALSE(reference.at("detail").get<std::string>().empty());
      if (!reference.contains("url")) continue;
      EXPECT_TRUE(reference.at("url").get<std::string>().starts_with("https://"));
      ++links;
    }
    EXPECT_GT(links, 0);
  }
}

}  // namespace
}  // namespace mansard::roofline
