// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/sweep_table.h"

namespace mansard {

Table sweep_table(const DeviceModel& device, const SweepKind& kind, const std::string& suffix) {
  Table table;
  table.id = kind.id + suffix;
  table.title = std::string(kind.label) + " over working set";
  table.columns = {{"kernel", "Kernel", CellFormat::text, "", ""},
                   {"working_set_bytes", "Working set", CellFormat::quantity, "B", ""},
                   {kind.column, kind.label, CellFormat::quantity, kind.unit, ""}};
  for (const SweepPoint& p : device.sweep) {
    if (p.unit == kind.unit) table.rows.push_back({p.kernel, p.working_set_bytes, p.value});
  }
  return table;
}

Finding sweep_finding(const MachineModel& model) {
  Finding finding;
  finding.id = "sweep";
  finding.title = "Over working set";
  for (std::size_t i = 0; i < model.devices.size(); ++i) {
    const DeviceModel& device = model.devices[i];
    const std::string suffix = i == 0 ? "" : "_" + std::to_string(i + 1);
    for (const SweepKind& kind : {kBandwidthSweep, kLatencySweep}) {
      Table table = sweep_table(device, kind, suffix);
      if (table.rows.empty()) continue;
      table.title += ", " + device.device.name;
      finding.tables.push_back(std::move(table));
    }
  }
  return finding;
}

}  // namespace mansard
