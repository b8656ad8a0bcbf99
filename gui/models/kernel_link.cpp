// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_link.h"

#include <algorithm>
#include <vector>

#include "analyzer/explain/run_parts.h"
#include "analyzer/kernel_signature.h"
#include "gui/models/selection_model.h"

namespace mansard::gui {
namespace {

class TableRow {
 public:
  TableRow(const analysis::Table& table, std::size_t row)
      : table_(table), cells_(table.rows[row]) {}

  const analysis::Cell* cell(std::string_view key) const {
    const auto found = std::ranges::find(table_.columns, key, &analysis::Column::key);
    return found == table_.columns.end() ? nullptr : &cells_[found - table_.columns.begin()];
  }
  template <class T>
  const T* value(std::string_view key) const {
    const analysis::Cell* found = cell(key);
    return found == nullptr ? nullptr : std::get_if<T>(found);
  }

 private:
  const analysis::Table& table_;
  const std::vector<analysis::Cell>& cells_;
};

using Rows = std::vector<std::size_t>;

template <class Holds>
Rows rows_where(const analysis::RunAnalysis& run, Holds holds) {
  Rows rows;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (holds(run.rows[i])) rows.push_back(i);
  }
  return rows;
}

// Those for which it holds as well, unless that leaves none.
template <class Holds>
void narrow(Rows& rows, const analysis::RunAnalysis& run, Holds holds) {
  Rows left;
  std::ranges::copy_if(rows, std::back_inserter(left),
                       [&](std::size_t i) { return holds(run.rows[i]); });
  if (!left.empty()) rows = std::move(left);
}

void narrow(Rows& rows, const analysis::RunAnalysis& run, const TableRow& cells) {
  if (const auto* text = cells.value<std::string>("class")) {
    narrow(rows, run, [&](const analysis::KernelRow& r) { return r.operation_class == *text; });
  }
  if (const auto* text = cells.value<std::string>("precision")) {
    narrow(rows, run, [&](const analysis::KernelRow& r) {
      return r.precision && info(*r.precision).label == *text;
    });
  }
  if (const auto* count = cells.value<std::int64_t>("launches")) {
    narrow(rows, run, [&](const analysis::KernelRow& r) { return r.launches == *count; });
  }
  if (const auto* time_s = cells.value<double>("time_s")) {
    narrow(rows, run, [&](const analysis::KernelRow& r) { return r.time_s == *time_s; });
  }
}

// Rows are by falling time: of several that fit, the one of most time.
std::optional<KernelLink> first_of(Rows rows, const analysis::RunAnalysis& run,
                                   const TableRow& cells) {
  if (rows.empty()) return std::nullopt;
  narrow(rows, run, cells);
  return KernelLink{rows.front()};
}

std::optional<KernelLink> by_signature(const TableRow& cells, const analysis::RunAnalysis& run) {
  for (const char* key : {"signature", "signature_b"}) {
    const auto* text = cells.value<std::string>(key);
    if (text == nullptr) continue;
    Rows rows = rows_where(run, [&](const analysis::KernelRow& r) {
      return analysis::kernel_signature(r.name, r.grid, r.block, r.shared_bytes) == *text;
    });
    if (auto link = first_of(std::move(rows), run, cells)) return link;
  }
  return std::nullopt;
}

std::optional<KernelLink> by_name(const TableRow& cells, const analysis::RunAnalysis& run) {
  const auto* text = cells.value<std::string>("name");
  if (text == nullptr || text->empty()) return std::nullopt;
  return first_of(rows_where(run,
                             [&](const analysis::KernelRow& r) {
                               return r.short_name == *text ||
                                      analysis::part_label({.row = &r}) == *text;
                             }),
                  run, cells);
}

// "gemm kernels" of a ledger, and the lines that a comparison splits the GEMMs into.
std::string class_of_line(const std::string& id) {
  for (const std::string_view gemms :
       {"kept_gemms", "kept_gemms_changed", "gemm_memory_bound", "gemm_efficiency", "clock"}) {
    if (id == gemms) return "gemm";
  }
  return id;
}

std::optional<KernelLink> by_class(const TableRow& cells, const analysis::RunAnalysis& run) {
  for (const char* key : {"class", "name", "id"}) {
    const auto* text = cells.value<std::string>(key);
    if (text == nullptr) continue;
    const std::string name = key == std::string_view("id") ? class_of_line(*text) : *text;
    const bool known = std::ranges::any_of(
        run.rows, [&](const analysis::KernelRow& r) { return r.operation_class == name; });
    if (known) return KernelLink{{}, name};
  }
  return std::nullopt;
}

}  // namespace

std::optional<KernelLink> kernel_link(const analysis::Table& table, std::size_t table_row,
                                      const analysis::RunAnalysis& run) {
  if (table_row >= table.rows.size()) return std::nullopt;
  const TableRow cells(table, table_row);
  const auto* number = cells.value<std::int64_t>("row");
  if (number != nullptr && *number >= 1 && static_cast<std::size_t>(*number) <= run.rows.size()) {
    return KernelLink{static_cast<std::size_t>(*number) - 1};
  }
  if (auto link = by_signature(cells, run)) return link;
  if (auto link = by_name(cells, run)) return link;
  return by_class(cells, run);
}

void follow(const KernelLink& link, SelectionModel& selection) {
  if (link.row) {
    selection.select(*link.row);
    return;
  }
  const QString name = QString::fromStdString(link.operation_class);
  selection.set_operation_class(selection.filter().operation_class == name ? QString() : name);
}

}  // namespace mansard::gui
