// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/sweep_table.h"

namespace mansard::reports {

analysis::Table sweep_table(const roofline::DeviceModel& device, const SweepKind& kind,
                            const std::string& suffix) {
  analysis::Table table;
  table.id = kind.id + suffix;
  table.title = std::string(kind.label) + " vs. working set";
  table.columns = {{"kernel", "Kernel", analysis::CellFormat::text, "", ""},
                   {"working_set_bytes", "Working set", analysis::CellFormat::quantity, "B", ""},
                   {kind.column, kind.label, analysis::CellFormat::quantity, kind.unit, ""}};
  for (const roofline::SweepPoint& p : device.sweep) {
    if (p.unit == kind.unit) table.rows.push_back({p.kernel, p.working_set_bytes, p.value});
  }
  return table;
}

analysis::Finding sweep_finding(const roofline::MachineModel& model) {
  analysis::Finding finding;
  finding.id = "sweep";
  finding.title = "Bandwidth and latency vs. working set";
  for (std::size_t i = 0; i < model.devices.size(); ++i) {
    const roofline::DeviceModel& device = model.devices[i];
    const std::string suffix = i == 0 ? "" : "_" + std::to_string(i + 1);
    for (const SweepKind& kind : {kBandwidthSweep, kLatencySweep}) {
      analysis::Table table = sweep_table(device, kind, suffix);
      if (table.rows.empty()) continue;
      table.title += ", " + device.device.name;
      finding.tables.push_back(std::move(table));
    }
  }
  return finding;
}

}  // namespace mansard::reports
