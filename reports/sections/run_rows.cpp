// SPDX-License-Identifier: Apache-2.0
// The kernels of a run as JSON. All figures and tables of the run refer to them by number.
#include <algorithm>

#include "analyzer/kernel_columns.h"
#include "reports/formats/json_cell.h"
#include "reports/section.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;

// The facts of a kernel, in display order.
analysis::KernelColumns fact_columns(const analysis::RunAnalysis& run) {
  std::vector<std::string> keys = {"class", "precision", "sol_fraction", "bound"};
  keys.emplace_back(analysis::saving_key(run));
  if (analysis::has_step_times(run)) analysis::append(keys, {"step_time_s", "step_share"});
  analysis::append(keys, {"time_s", "share", "launches"});
  return analysis::choose(analysis::kernel_columns(), keys);
}

Json row_json(const analysis::KernelRow& row, const analysis::KernelColumns& columns) {
  Json json = {{"name", one_line(row.name)},
               {"short", one_line(row.short_name.empty() ? row.name : row.short_name)}};
  const analysis::KernelEntry entry(row);
  for (const auto& [column, value] : columns) {
    const analysis::Cell cell = value(entry);
    const auto* text = std::get_if<std::string>(&cell);
    json[column.key] = text != nullptr ? Json(one_line(*text)) : json_of(cell);
  }
  return json;
}

std::optional<Section> make_run_rows(const SectionContext& context) {
  const std::vector<analysis::KernelRow>& rows = context.run->rows;
  if (rows.empty()) return std::nullopt;
  Json json = {{"columns", Json::object()}, {"rows", Json::object()}, {"classes", Json::object()}};
  const analysis::KernelColumns columns = fact_columns(*context.run);
  for (const auto& [column, value] : columns) json["columns"][column.key] = json_of(column);
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxPageRows); ++i) {
    json["rows"][std::to_string(i)] = row_json(rows[i], columns);
    const analysis::OperationClass c = rows[i].operation_class;
    json["classes"][one_line(c)] = {{"style", color_style(figure::class_ink(c))},
                                    {"shape", class_shape(c, 1)}};
  }
  return Section{.title = "", .html = "", .data_json = json.dump()};
}

}  // namespace

void register_run_rows(SectionRegistry& registry) {
  registry.add({"rows", SectionScope::run, 1, make_run_rows});
}

}  // namespace mansard::reports
