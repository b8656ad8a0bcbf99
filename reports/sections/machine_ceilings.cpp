// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/machine_table.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

// "57 ceilings: FP8 E4M3 1.88 PFLOP/s, BF16 938 TFLOP/s, HBM 4.25 TB/s": the highest rate, that of
// the usual training format, and the memory's.
std::string main_ceilings(const roofline::DeviceModel& device) {
  const roofline::Ceiling* highest = nullptr;
  for (const PrecisionInfo& precision : kPrecisions) {
    const roofline::Ceiling* ceiling = device.compute(precision.id);
    if (ceiling && (!highest || ceiling->value > highest->value)) highest = ceiling;
  }
  std::string text = format_number_of(static_cast<std::int64_t>(device.ceilings.size()), "ceiling");
  std::string separator = ": ";
  const auto add = [&](std::string_view label, const roofline::Ceiling* ceiling) {
    if (ceiling == nullptr) return;
    text += separator + std::string(label) + ' ' + format_si(ceiling->value, ceiling->unit);
    separator = ", ";
  };
  if (highest) add(info(*highest->precision).label, highest);
  const roofline::Ceiling* bf16 = device.compute(Precision::bf16);
  if (bf16 != highest) add(info(Precision::bf16).label, bf16);
  for (const MemoryLevel level : {MemoryLevel::hbm, MemoryLevel::dram}) {
    add(info(level).label, device.bandwidth(level));
  }
  return text;
}

std::optional<Section> make_machine_ceilings(const SectionContext& context) {
  const roofline::Provenance& provenance = context.machine->provenance;
  Section section;
  section.title = "Ceilings";
  const std::string device = describe(context.device->device);
  if (!device.empty()) section.html += "<p>" + escape_html(device) + ".</p>\n";
  if (provenance.origin == roofline::Origin::datasheet) {
    section.html +=
        "<ul role=\"note\"><li>Published figures, not measured. Programs reach less in "
        "practice.</li></ul>\n";
  }
  section.summary = main_ceilings(*context.device);
  section.folded = !context.input.runs.empty();
  for (const analysis::Table& table : ceiling_tables(*context.device, provenance.origin)) {
    section.html += "<h4>" + escape_html(table.title) + "</h4>\n";
    const std::string chart = html_chart(table, &section.figures);
    const std::string rows =
        html_table(table, {.element_id = context.id + '-' + table.id, .chart = false});
    const auto count = static_cast<std::int64_t>(table.rows.size());
    section.html += chart.empty() ? rows
                                  : chart + "<details><summary><span>Values</span> " +
                                        format_number_of(count, "ceiling") + "</summary>\n" + rows +
                                        "</details>\n";
  }
  return section;
}

}  // namespace

void register_machine_ceilings(SectionRegistry& registry) {
  registry.add({"ceilings", SectionScope::device, 20, make_machine_ceilings});
}

}  // namespace mansard::reports
