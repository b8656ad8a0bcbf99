// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/machine_table.h"

#include <algorithm>

#include "support/units.h"

namespace mansard::reports {
namespace {

struct TableKind {
  bool (*holds)(const roofline::Ceiling&);
  const char* id;
  const char* title;
  bool highest_first;
  analysis::Column value;
};

const TableKind kKinds[] = {
    {[](const roofline::Ceiling& c) {
       return c.role == kernels::KernelRole::compute_ceiling && c.unit != "op/s";
     },
     "compute",
     "Compute ceilings",
     true,
     {"flop_per_s", "rate", analysis::CellFormat::quantity, "FLOP/s",
      "Median over the campaigns."}},
    {[](const roofline::Ceiling& c) {
       return c.role == kernels::KernelRole::compute_ceiling && c.unit == "op/s";
     },
     "operations",
     "Operation rates",
     true,
     {"op_per_s", "rate", analysis::CellFormat::quantity, "op/s",
      "Median over the campaigns: integer operations, conversions, special functions."}},
    {[](const roofline::Ceiling& c) { return c.role == kernels::KernelRole::bandwidth_ceiling; },
     "bandwidth",
     "Memory bandwidth",
     true,
     {"bytes_per_s", "bandwidth", analysis::CellFormat::quantity, "B/s",
      "Median over the campaigns. Copies count bytes read plus bytes written."}},
    {[](const roofline::Ceiling& c) { return c.role == kernels::KernelRole::latency_ceiling; },
     "latency",
     "Memory latency",
     false,
     {"time_s", "latency", analysis::CellFormat::quantity, "s",
      "Time per dependent load, median."}},
    {[](const roofline::Ceiling& c) { return c.role == kernels::KernelRole::overhead_ceiling; },
     "overhead",
     "Overheads",
     false,
     {"time_s", "time per op", analysis::CellFormat::quantity, "s", "Time per operation, median."}},
};

analysis::Cell known(double value) { return value > 0 ? analysis::Cell{value} : analysis::Cell{}; }
analysis::Cell known(std::string text) {
  return text.empty() ? analysis::Cell{} : analysis::Cell{std::move(text)};
}

// The number format or memory tier of a ceiling, else the kernel's name.
std::string subject(const roofline::Ceiling& c) {
  if (c.role == kernels::KernelRole::compute_ceiling && c.precision) {
    return std::string(info(*c.precision).label);
  }
  const bool of_tier = c.role == kernels::KernelRole::bandwidth_ceiling ||
                       c.role == kernels::KernelRole::latency_ceiling;
  if (of_tier && c.level) return std::string(info(*c.level).label);
  return c.id;
}

// Only one of several ceilings of a number format or tier is used to analyze runs.
bool bounds_runs(const roofline::Ceiling& c, const roofline::DeviceModel& device) {
  if (c.role == kernels::KernelRole::compute_ceiling && c.precision) {
    return device.compute(*c.precision) == &c;
  }
  if (c.role == kernels::KernelRole::bandwidth_ceiling && c.level) {
    return device.bandwidth(*c.level) == &c;
  }
  return true;
}

std::vector<const roofline::Ceiling*> ceilings_of(const TableKind& kind,
                                                  const roofline::DeviceModel& device) {
  std::vector<const roofline::Ceiling*> ceilings;
  for (const roofline::Ceiling& c : device.ceilings) {
    if (kind.holds(c)) ceilings.push_back(&c);
  }
  if (kind.highest_first)
    std::ranges::stable_sort(ceilings, std::greater{}, &roofline::Ceiling::value);
  return ceilings;
}

analysis::Table table_of(const TableKind& kind, const roofline::DeviceModel& device,
                         roofline::Origin origin) {
  analysis::Table table;
  table.id = kind.id;
  table.title = kind.title;
  // Most important columns first: narrow terminals omit the last ones.
  table.columns = {
      {"ceiling", "ceiling", analysis::CellFormat::text, "",
       "Number format, memory tier or operation."},
      kind.value,
      {"spread", "spread", analysis::CellFormat::fraction, "",
       "Interquartile range of the samples / median."},
      {"clock_hz", "clock", analysis::CellFormat::quantity, "Hz", "Median clock while measuring."},
      {"data_pattern", "data", analysis::CellFormat::text, "",
       "Operand values. They affect the power, and with it the clock."},
      {"kernel", "kernel", analysis::CellFormat::text, "",
       "Benchmark kernel, or source of a published figure."},
      {"regime", "regime", analysis::CellFormat::text, "",
       "Burst: launches with pauses in between. Sustained: seconds of load, stable clock."},
      {"of_theory", "of theory", analysis::CellFormat::fraction, "",
       "Value / theoretical peak at the measured clock."},
      {"of_boost", "of boost", analysis::CellFormat::fraction, "",
       "Value / theoretical peak at the boost clock (memory: at its rated clock)."},
      {"uncertainty", "±", analysis::CellFormat::fraction, "",
       "Half-width of the 95 % confidence interval over the campaigns."},
      {"power_w", "power", analysis::CellFormat::quantity, "W", "Median power while measuring."},
      {"samples", "samples", analysis::CellFormat::count, "", "Number of samples in the median."},
      {"origin", "origin", analysis::CellFormat::text, "",
       "Measured here, or published by the vendor."},
  };
  table.chart = analysis::Chart{.kind = analysis::ChartKind::bars,
                                .selection = "the ceilings used to analyze runs",
                                .label_keys = {"ceiling"},
                                .value_keys = {kind.value.key},
                                .fraction_key = "of_boost"};
  // Different kernels measure the latency of a tier, and none of them is the ceiling.
  if (kind.id == std::string_view("latency")) table.chart->label_keys.push_back("kernel");
  for (const roofline::Ceiling* c : ceilings_of(kind, device)) {
    const bool measured = origin == roofline::Origin::measured;
    if (bounds_runs(*c, device)) table.chart->rows.push_back(table.rows.size());
    table.rows.push_back({
        subject(*c),
        known(c->value),
        // Published figures and single samples have no spread.
        measured && c->spread > 0 ? analysis::Cell{c->spread} : analysis::Cell{},
        known(c->clock_hz),
        known(c->data_pattern),
        known(measured ? c->kernel : c->source),
        std::string(to_string(c->regime)),
        known(c->fraction_of_theory_at_clock),
        known(c->fraction_of_theory_at_boost),
        known(c->uncertainty),
        known(c->power_w),
        c->samples.empty() ? analysis::Cell{}
                           : analysis::Cell{static_cast<std::int64_t>(c->samples.size())},
        std::string(to_string(origin)),
    });
  }
  // Drop empty columns to save width.
  for (std::size_t i = table.columns.size(); i-- > 2;) {
    const bool empty = std::ranges::all_of(table.rows, [i](const std::vector<analysis::Cell>& row) {
      return std::holds_alternative<std::monostate>(row[i]);
    });
    if (!empty) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::vector<analysis::Cell>& row : table.rows) {
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return table;
}

void add_part(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

}  // namespace

std::vector<analysis::Table> ceiling_tables(const roofline::DeviceModel& device,
                                            roofline::Origin origin, const std::string& suffix) {
  std::vector<analysis::Table> tables;
  for (const TableKind& kind : kKinds) {
    analysis::Table table = table_of(kind, device, origin);
    if (table.rows.empty()) continue;
    table.id += suffix;
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<const roofline::Ceiling*> ceilings_behind(const analysis::Table& table,
                                                      const roofline::DeviceModel& device) {
  for (const TableKind& kind : kKinds) {
    // The id may be followed by the number of the device.
    if (table.id == kind.id || table.id.starts_with(std::string(kind.id) + '_')) {
      return ceilings_of(kind, device);
    }
  }
  return {};
}

std::string describe(const roofline::Provenance& p) {
  if (p.origin == roofline::Origin::datasheet) {
    return p.source.empty() ? "published figures, not measured"
                            : "published figures, not measured: " + p.source;
  }
  std::string text = "measured";
  if (!p.host.empty()) text += " on " + p.host;
  add_part(text, p.date_utc.substr(0, p.date_utc.find('T')));
  if (!p.driver_version.empty()) add_part(text, "driver " + p.driver_version);
  if (!p.cuda_version.empty()) add_part(text, "CUDA " + p.cuda_version);
  return text;
}

std::string describe(const kernels::DeviceInfo& d) {
  std::string text;
  const bool cuda = d.target == kernels::Target::cuda;
  if (d.units > 0) add_part(text, std::to_string(d.units) + (cuda ? " SMs" : " cores"));
  if (d.boost_clock_hz > 0) add_part(text, "boost " + format_si(d.boost_clock_hz, "Hz"));
  if (d.memory_bytes > 0) add_part(text, format_si(d.memory_bytes, "B"));
  if (d.l2_bytes > 0) add_part(text, "L2 " + format_capacity(d.l2_bytes));
  if (d.l3_bytes > 0) add_part(text, "L3 " + format_capacity(d.l3_bytes));
  add_part(text, d.instruction_set);
  return text;
}

analysis::Finding machine_finding(const roofline::MachineModel& model) {
  analysis::Finding finding;
  finding.id = "machine";
  finding.title = model.name;
  finding.summary = "Ceilings of " + model.name + ", " + describe(model.provenance) + ".";
  for (std::size_t i = 0; i < model.devices.size(); ++i) {
    const roofline::DeviceModel& device = model.devices[i];
    const std::string suffix = i == 0 ? "" : "_" + std::to_string(i + 1);
    for (analysis::Table& table : ceiling_tables(device, model.provenance.origin, suffix)) {
      if (model.devices.size() > 1) table.title = device.device.name + ": " + table.title;
      finding.tables.push_back(std::move(table));
    }
  }
  return finding;
}

}  // namespace mansard::reports
