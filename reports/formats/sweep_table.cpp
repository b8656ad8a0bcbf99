// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/sweep_table.h"

#include "empirical_roofline/collective_fit.h"

namespace mansard::reports {
namespace {

// The published rate of the links in one direction; 0: unknown.
double datasheet_links(const roofline::DeviceModel& device) {
  const roofline::MachineModel* const published = roofline::find_datasheet(device.device.name);
  const roofline::Ceiling* const links =
      published == nullptr ? nullptr : published->devices.front().bandwidth(MemoryLevel::nvlink);
  return links == nullptr ? 0 : links->value;
}

analysis::Cell share_of(double value, double of) {
  return of > 0 ? analysis::Cell(value / of) : analysis::Cell();
}

}  // namespace

analysis::Table sweep_table(const roofline::DeviceModel& device, const SweepKind& kind,
                            const std::string& suffix) {
  analysis::Table table;
  table.id = kind.id + suffix;
  table.title = std::string(kind.label) + " vs. working set";
  table.columns = {{"kernel", "Kernel", analysis::CellFormat::text, "", ""},
                   {"working_set_bytes", "Working set", analysis::CellFormat::quantity, "B", ""},
                   {kind.column, kind.label, analysis::CellFormat::quantity, kind.unit, ""}};
  for (const roofline::SweepPoint& p : device.sweep) {
    if (p.unit == kind.unit && p.axis() == roofline::SweepAxis::working_set) {
      table.rows.push_back({p.kernel, p.bytes, p.value});
    }
  }
  return table;
}

analysis::Table collective_table(const roofline::DeviceModel& device, const std::string& suffix) {
  analysis::Table table;
  table.id = "collectives_over_message" + suffix;
  table.title = "Collectives vs. message size";
  table.columns = {
      {"kernel", "Collective", analysis::CellFormat::text, "", ""},
      {"ranks", "GPUs", analysis::CellFormat::count, "", ""},
      {"message_bytes", "Message", analysis::CellFormat::quantity, "B",
       "Buffer of a GPU; for all-gather and reduce-scatter the larger of its two buffers"},
      {"call_s", "Time", analysis::CellFormat::quantity, "s", "Time of one call"},
      {"bus_bytes_per_s", "Bus bandwidth", analysis::CellFormat::quantity, "B/s",
       "Bytes over the links of a GPU in one direction / time, as in nccl-tests"},
      {"of_datasheet", "Of datasheet", analysis::CellFormat::fraction, "",
       "Bus bandwidth / the published rate of the GPU's links in one direction"}};
  const double links = datasheet_links(device);
  for (const roofline::SweepPoint& p : device.sweep) {
    if (p.axis() != roofline::SweepAxis::message) continue;
    table.rows.push_back(
        {p.kernel, std::int64_t{p.ranks}, p.bytes, p.call_s, p.value, share_of(p.value, links)});
  }
  return table;
}

analysis::Table collective_fit_table(const roofline::DeviceModel& device,
                                     const std::string& suffix) {
  analysis::Table table;
  table.id = "collective_models" + suffix;
  table.title = "Alpha-beta models of the collectives";
  table.columns = {
      {"kernel", "Collective", analysis::CellFormat::text, "", ""},
      {"ranks", "GPUs", analysis::CellFormat::count, "", ""},
      {"latency_s", "Latency", analysis::CellFormat::quantity, "s",
       "alpha of time = alpha + bus bytes / beta, fitted to all message sizes"},
      {"bytes_per_s", "Bandwidth", analysis::CellFormat::quantity, "B/s",
       "beta: bus bandwidth of very large messages"},
      {"of_datasheet", "Of datasheet", analysis::CellFormat::fraction, "",
       "Bandwidth / the published rate of the GPU's links in one direction"},
      {"largest_error", "Largest error", analysis::CellFormat::fraction, "",
       "Largest difference of modeled and measured time, relative to the measured time"}};
  const double links = datasheet_links(device);
  for (const roofline::CollectiveFit& f : roofline::fit_collectives(device.sweep)) {
    table.rows.push_back({f.kernel, std::int64_t{f.ranks}, f.latency_s, f.bytes_per_s,
                          share_of(f.bytes_per_s, links), f.largest_error});
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
    for (analysis::Table table :
         {collective_fit_table(device, suffix), collective_table(device, suffix)}) {
      if (table.rows.empty()) continue;
      table.title += ", " + device.device.name;
      finding.tables.push_back(std::move(table));
    }
  }
  return finding;
}

}  // namespace mansard::reports
