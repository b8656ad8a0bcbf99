// SPDX-License-Identifier: Apache-2.0
// The kernels of a run as data, once: every figure and table of the run's part refers to them by
// their number.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "reports/section.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const analysis::KernelRow& row) {
  Json json = {{"name", one_line(row.name)},
               {"short", one_line(row.short_name.empty() ? row.name : row.short_name)},
               {"class", one_line(row.operation_class)},
               {"precision", row.precision ? Json(info(*row.precision).label) : Json(nullptr)},
               {"work", to_string(row.origin)},
               {"launches", row.launches},
               {"time_s", row.time_s},
               {"share", row.share},
               {"bound", one_line(row.limit.bound_label)}};
  json["of_roof"] =
      row.inefficiency && *row.inefficiency > 0 ? Json(1 / *row.inefficiency) : Json(nullptr);
  return json;
}

std::optional<Section> make(const SectionContext& context) {
  const std::vector<analysis::KernelRow>& rows = context.run->rows;
  if (rows.empty()) return std::nullopt;
  Json json = {{"rows", Json::object()}, {"classes", Json::object()}};
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxPageRows); ++i) {
    json["rows"][std::to_string(i)] = row_json(rows[i]);
    const std::string& name = rows[i].operation_class;
    json["classes"][one_line(name)] = {{"style", colour_style(class_colour(name))},
                                       {"shape", class_shape(name, 1)}};
  }
  return Section{.title = "", .html = "", .data_json = json.dump()};
}

}  // namespace

void register_run_rows(SectionRegistry& registry) {
  registry.add({"rows", SectionScope::run, 1, make});
}

}  // namespace mansard::reports
