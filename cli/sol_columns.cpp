// SPDX-License-Identifier: Apache-2.0
#include "cli/sol_columns.h"

#include <stdexcept>

#include "analyzer/speed_of_light.h"

namespace mansard::cli {

SolColumns::SolColumns(const std::string& machine_file, const kernels::DeviceInfo& device)
    : wanted_(!machine_file.empty()) {
  if (!wanted_) return;
  const roofline::MachineModel model = roofline::load_machine_model(machine_file);
  const roofline::DeviceModel* const found = model.find_device(device.name, device.uuid);
  if (found == nullptr) {
    throw std::runtime_error("machine model '" + machine_file + "' has no ceilings for '" +
                             device.name + "'; measure them with 'mansard characterize'");
  }
  device_ = *found;
}

std::vector<analysis::Column> SolColumns::columns() const {
  if (!wanted_) return {};
  return {{"sol_s", "SOL time", analysis::CellFormat::quantity, "s",
           "T_sol: sum of the operations' speed-of-light times under the machine model."},
          {"sol_fraction", "SOL %", analysis::CellFormat::fraction, "", "T_sol / T."}};
}

std::vector<analysis::Cell> SolColumns::cells(const std::vector<kernels::WorkAnnotation>& work,
                                              double time_s) const {
  if (!wanted_) return {};
  double sol_s = 0;
  for (const kernels::WorkAnnotation& w : work) {
    analysis::WorkTotals totals;
    if (w.precision && w.flop > 0) totals.flop[*w.precision] = w.flop;
    totals.bytes = w.bytes;
    sol_s += analysis::speed_of_light(totals, device_).time_s;
  }
  if (sol_s <= 0) return {analysis::Cell(), analysis::Cell()};
  return {analysis::Cell(sol_s), analysis::Cell(sol_s / time_s)};
}

}  // namespace mansard::cli
