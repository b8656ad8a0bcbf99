// SPDX-License-Identifier: Apache-2.0
#include "cli/peak_rates.h"

#include <stdexcept>

#include "empirical_roofline/machine_model.h"

namespace mansard::cli {
namespace {

double bf16_rate(const roofline::DeviceModel* device) {
  const roofline::Ceiling* const ceiling =
      device == nullptr ? nullptr : device->compute(Precision::bf16);
  return ceiling == nullptr ? 0 : ceiling->value;
}

}  // namespace

PeakRates peak_rates(const kernels::DeviceInfo& device, const std::string& machine_file) {
  PeakRates peaks;
  if (const roofline::MachineModel* model = roofline::find_datasheet(device.name)) {
    peaks.datasheet = bf16_rate(&model->devices.front());
  }
  if (machine_file.empty()) return peaks;
  const roofline::MachineModel model = roofline::load_machine_model(machine_file);
  peaks.measured = bf16_rate(model.find_device(device.name, device.uuid));
  if (peaks.measured == 0) {
    throw std::runtime_error("machine model '" + machine_file + "' has no BF16 ceiling for '" +
                             device.name + "'; measure it with 'mansard characterize'");
  }
  return peaks;
}

}  // namespace mansard::cli
