// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/target_machine.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "analyzer/predict/predict_data.h"

namespace mansard::analysis {
namespace {

const CsvTable& machines() {
  static const CsvTable table = predict_data("machines.csv");
  return table;
}

// "GB200" and "gb 200" are "gb200".
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

const roofline::DeviceModel& datasheet_device(std::string_view name) {
  const std::vector<roofline::MachineModel>& all = roofline::datasheet_models();
  const auto found = std::ranges::find(all, name, &roofline::MachineModel::name);
  if (found == all.end()) {
    throw std::runtime_error("machines.csv: unknown datasheet '" + std::string(name) + "'");
  }
  return found->devices.front();
}

std::size_t row_of(std::string_view column, std::string_view value) {
  for (std::size_t row = 0; row < machines().rows(); ++row) {
    if (machines().text(row, column) == value) return row;
  }
  throw std::runtime_error("machines.csv: unknown " + std::string(column) + " '" +
                           std::string(value) + "'");
}

std::map<Precision, double> peaks_of(const roofline::DeviceModel& device) {
  std::map<Precision, double> peaks;
  for (const roofline::Ceiling& c : device.ceilings) {
    if (c.role != kernels::KernelRole::compute_ceiling || !c.precision) continue;
    peaks[*c.precision] = std::max(peaks[*c.precision], c.value);
  }
  // On Blackwell, FP8 GEMMs with and without block scales have the same rate; some datasheets list
  // only one of them.
  const auto fp8 = peaks.find(Precision::fp8_e4m3);
  if (device.device.compute_capability >= 100 && fp8 != peaks.end()) {
    peaks.emplace(Precision::mxfp8, fp8->second);
  }
  return peaks;
}

TargetMachine::Kinship kinship_of(const roofline::DeviceModel& device,
                                  const roofline::DeviceModel& other) {
  if (&device == &other) return TargetMachine::Kinship::same_gpu;
  return device.device.compute_capability / 10 == other.device.compute_capability / 10
             ? TargetMachine::Kinship::same_architecture
             : TargetMachine::Kinship::other_architecture;
}

bool is_grace(const std::string& host) {
  if (host == "grace") return true;
  if (host == "x86") return false;
  throw std::runtime_error("machines.csv: host '" + host + "' is neither x86 nor grace");
}

TargetMachine machine_of_row(std::size_t row) {
  const CsvTable& t = machines();
  const roofline::DeviceModel& device = datasheet_device(t.text(row, "datasheet"));
  TargetMachine m;
  m.name = t.text(row, "datasheet");
  m.compute_capability = device.device.compute_capability;
  m.peak_flop_per_s = peaks_of(device);
  // If datasheets disagree on bandwidth, use the lower value.
  for (const roofline::Ceiling& c : device.ceilings) {
    if (c.level != MemoryLevel::hbm) continue;
    if (m.hbm_bytes_per_s == 0 || c.value < m.hbm_bytes_per_s) m.hbm_bytes_per_s = c.value;
  }
  m.layers = t.text(row, "layers");
  m.attention = t.text(row, "attention");
  // The first row with this name is the measured GPU.
  const std::size_t measured = row_of("layers", m.layers);
  m.layers_of_another_gpu = measured != row;
  m.layers_peak_flop_per_s = peaks_of(datasheet_device(t.text(measured, "datasheet")));
  const std::size_t attention_row = row_of("key", plain(m.attention));
  const roofline::DeviceModel& attention_device =
      datasheet_device(t.text(attention_row, "datasheet"));
  m.attention_peak_flop_per_s = attention_device.compute(Precision::bf16)->value;
  m.attention_kinship = kinship_of(device, attention_device);
  m.grace_host = is_grace(t.text(row, "host"));
  m.power_limit_w = t.number(row, "tdp_w");
  m.memory_bytes = t.number(row, "memory_bytes");
  m.nvlink_bytes_per_s = t.number(row, "nvlink_bytes_per_s");
  m.nic_bytes_per_s = t.number(row, "nic_bytes_per_s");
  m.nvlink_domain = static_cast<int>(t.integer(row, "nvlink_domain"));
  return m;
}

const roofline::Ceiling* ceiling_of(const roofline::DeviceModel& device, std::string_view id) {
  const roofline::Ceiling* found = device.find(id);
  return found != nullptr && found->value > 0 ? found : nullptr;
}

}  // namespace

double TargetMachine::peak(Precision precision) const {
  const auto found = peak_flop_per_s.find(precision);
  return found == peak_flop_per_s.end() ? 0 : found->second;
}

double TargetMachine::sustained(double fraction, double clock_loss) const {
  const double tflop_per_s_per_w = peak(Precision::bf16) / 1e12 / power_limit_w;
  const double loss = measured_clock_loss.value_or(clock_loss * tflop_per_s_per_w) * fraction;
  return std::max(0.1, 1 - loss);
}

std::vector<std::string> target_machine_names() {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < machines().rows(); ++row) {
    names.push_back(machines().text(row, "key"));
  }
  return names;
}

std::optional<TargetMachine> find_target_machine(std::string_view name) {
  for (std::size_t row = 0; row < machines().rows(); ++row) {
    if (plain(name) == plain(machines().text(row, "key")) ||
        plain(name) == plain(machines().text(row, "datasheet"))) {
      return machine_of_row(row);
    }
  }
  return std::nullopt;
}

TargetMachine target_machine_of(const roofline::MachineModel& model) {
  for (const roofline::DeviceModel& device : model.devices) {
    if (device.device.target != kernels::Target::cuda) continue;
    const roofline::MachineModel* sheet = roofline::find_datasheet(device.device.name);
    std::optional<TargetMachine> m;
    if (sheet != nullptr) m = find_target_machine(sheet->name);
    if (!m) {
      throw std::runtime_error("machine model '" + model.name +
                               "': no measured linear layers for '" + device.device.name +
                               "' or a related GPU, so no prediction is possible");
    }
    m->name = model.name.empty() ? device.device.name : model.name;
    if (device.device.memory_bytes > 0) m->memory_bytes = device.device.memory_bytes;
    if (const roofline::Ceiling* hbm = device.bandwidth(MemoryLevel::hbm)) {
      m->hbm_bytes_per_s = hbm->value;
      m->hbm_measured = true;
    }
    m->collectives = roofline::fit_collectives(device.sweep);
    // One GEMM in a burst and at the sustained clock.
    const roofline::Ceiling* burst = ceiling_of(device, "cublaslt_bf16");
    const roofline::Ceiling* settled = ceiling_of(device, "cublaslt_bf16@sustained");
    if (burst != nullptr && settled != nullptr) {
      m->measured_clock_loss = std::max(0.0, 1 - settled->value / burst->value) /
                               (burst->value / m->peak(Precision::bf16));
    }
    return *m;
  }
  throw std::runtime_error("machine model '" + model.name + "' has no GPU");
}

}  // namespace mansard::analysis
