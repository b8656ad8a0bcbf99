// SPDX-License-Identifier: Apache-2.0
// JSON has full names (only invalid UTF-8 is replaced) and unrounded numbers in base units.
#include <cmath>

#include "reports/formats/json_cell.h"
#include "reports/formats/writers.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of columns

const char* key_of(analysis::CellFormat format) {
  switch (format) {
    case analysis::CellFormat::text:
      return "text";
    case analysis::CellFormat::count:
      return "count";
    case analysis::CellFormat::quantity:
      return "quantity";
    case analysis::CellFormat::number:
      return "number";
    case analysis::CellFormat::fraction:
      return "fraction";
    case analysis::CellFormat::ratio:
      return "ratio";
  }
  return "";
}

Json table_json(const analysis::Table& table) {
  Json columns = Json::array();
  for (const analysis::Column& column : table.columns) columns.push_back(json_of(column));
  Json rows = Json::array();
  for (const std::vector<analysis::Cell>& row : table.rows) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      entry[valid_utf8(table.columns[i].key)] = i < row.size() ? json_of(row[i]) : Json(nullptr);
    }
    rows.push_back(std::move(entry));
  }
  return {{"id", valid_utf8(table.id)},
          {"title", valid_utf8(table.title)},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace

Json json_of(const analysis::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return valid_utf8(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) {
    if (std::isfinite(*number)) return *number;
  }
  return nullptr;
}

Json json_of(const analysis::Column& column) {
  Json json = {{"key", valid_utf8(column.key)},
               {"label", valid_utf8(column.label)},
               {"unit", valid_utf8(column.unit)},
               {"format", key_of(column.format)}};
  if (!column.description.empty()) json["description"] = valid_utf8(column.description);
  return json;
}

std::string to_json(const std::vector<analysis::Finding>& findings) {
  Json list = Json::array();
  for (const analysis::Finding& finding : findings) {
    Json tables = Json::array();
    for (const analysis::Table& table : finding.tables) tables.push_back(table_json(table));
    list.push_back({{"id", valid_utf8(finding.id)},
                    {"title", valid_utf8(finding.title)},
                    {"summary", valid_utf8(finding.summary)},
                    {"tables", std::move(tables)}});
  }
  return Json{{"schema_version", 3}, {"findings", std::move(list)}}.dump(2) + "\n";
}

}  // namespace mansard::reports
