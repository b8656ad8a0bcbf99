// SPDX-License-Identifier: Apache-2.0
// Reads the records of a table. Columns that the file's table lacks, because another version of
// Nsight Systems wrote it, keep the value of a new record.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/store/correlation_ids.h"
#include "collector/store/device_ids.h"
#include "collector/store/page_scan.h"
#include "collector/store/sqlite.h"
#include "collector/store/table_declaration.h"

namespace mansard::store {

// Maps ids in another tool's export, which are unique only per process.
struct RowIds {
  explicit RowIds(Database& database) : correlations(database), devices(database) {}
  CorrelationIds correlations;
  DeviceIds devices;
};

// Returns the first and last rowid of a table; {1, 0} for one that is empty or missing.
RowSpan row_span(Database& database, std::string_view table);

// An impossible time. The message contains the time, but not the file.
struct ImpossibleTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Returns `time_ns`. Throws ImpossibleTime for times whose sums would overflow.
std::int64_t possible_time(std::int64_t time_ns);

// Selects `columns` in this order, by current names or those of older exports (nsight_names.h),
// with NULL for columns that `table` lacks. Returns no rows if the table is missing. `columns` may
// contain "rowid".
Statement select(Database& database, std::string_view table,
                 const std::vector<std::string_view>& columns, std::string_view order_by = "",
                 std::optional<RowSpan> rows = {});

// The rows of select(), from the pages of the file where that is possible.
class Rows {
 public:
  Rows(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
       std::string_view order_by, std::optional<RowSpan> rows);

  bool step() { return pages_ ? pages_->step() : statement_->step(); }
  bool is_null(int column) const {
    return pages_ ? pages_->is_null(column) : statement_->is_null(column);
  }
  std::int64_t integer(int column) const {
    return pages_ ? pages_->integer(column) : statement_->integer(column);
  }
  std::int32_t integer32(int column) const { return static_cast<std::int32_t>(integer(column)); }
  double real(int column) const { return pages_ ? pages_->real(column) : statement_->real(column); }
  std::string_view text_view(int column) const {
    return pages_ ? pages_->text_view(column) : statement_->text_view(column);
  }

 private:
  std::unique_ptr<PageScan> pages_;
  std::optional<Statement> statement_;
};

struct Cell {
  const Rows& row;
  int column;
  bool is_null() const { return row.is_null(column); }
  std::int64_t integer() const { return row.integer(column); }
  double real() const { return row.real(column); }
  std::string text() const { return std::string(row.text_view(column)); }
  std::string_view text_view() const { return row.text_view(column); }  // until the next row
};

// Returns the index in the SELECT of the first column of this kind, or -1.
template <class Table>
constexpr int place_in_select(const Table& table, ColumnKind kind) {
  int place = 0;
  int found = -1;
  table.for_each([&](const auto& column) {
    if (!column.is_read()) return;
    if (column.kind == kind && found < 0) found = place;
    ++place;
  });
  return found;
}

template <const auto& kTable>
class RowReader {
 public:
  using Table = std::remove_cvref_t<decltype(kTable)>;
  using Record = typename Table::Record;

  // `ids` must outlive the reader.
  RowReader(Database& database, RowIds& ids, std::string_view order_by = "",
            std::optional<RowSpan> rows = {})
      : ids_(ids), row_(database, kTable.name, selected_names(), order_by, rows) {}

  // Reads the next record, if there is one. Throws ImpossibleTime and SqliteError.
  bool next(Record& record) {
    if (!row_.step()) return false;
    if constexpr (requires { clear_computed(record); }) {
      clear_computed(record);
    } else {
      record = blank_;
    }
    std::apply(
        [&](const auto&... columns) {
          int place = 0;
          (read(columns, record, place), ...);
        },
        kTable.columns);
    return true;
  }

 private:
  static std::vector<std::string_view> selected_names() {
    std::vector<std::string_view> names;
    kTable.for_each([&](const auto& column) {
      if (column.is_read()) names.push_back(column.name);
    });
    return names;
  }

  static constexpr int kProcess = place_in_select(kTable, ColumnKind::process);
  static constexpr int kPid = place_in_select(kTable, ColumnKind::pid);

  template <class Column>
  void read(const Column& column, Record& record, int& next_place) {
    using Access = typename Column::Access;
    if constexpr (Column::is_read()) {
      const Cell cell{row_, next_place++};
      if constexpr (std::is_same_v<Access, RecordedProcess>) return;
      if constexpr (InRecord<Access>) {
        read_member(column, column.access(record), cell);
      } else if constexpr (requires { column.access.set; }) {
        if (!cell.is_null()) column.access.set(record, cell);
      }
    }
  }

  template <class Column>
  void read_member(const Column& column, typename Column::Value& value, const Cell& cell) {
    using Value = typename Column::Value;
    // NULL is read as 0 or "", the default of most members.
    if constexpr (!std::is_same_v<Value, std::string_view>) {
      const Value& none = column.access(blank_);
      if (none != Value() && cell.is_null()) {
        value = none;
        return;
      }
    }
    if constexpr (std::is_integral_v<Value>) {
      switch (column.kind) {
        case ColumnKind::time:
          value = static_cast<Value>(possible_time(row_.integer(cell.column)));
          return;
        case ColumnKind::device:
          value = static_cast<Value>(device(cell.column));
          return;
        case ColumnKind::correlation:
          value = static_cast<Value>(correlation(cell.column, column.may_lack_process));
          return;
        default:
          break;
      }
    }
    from_sql(value, cell);
  }

  std::optional<std::int64_t> process() const {
    return row_.is_null(kProcess) ? std::nullopt : std::optional(row_.integer(kProcess));
  }

  std::int64_t correlation(int column, bool may_lack_process) {
    const std::int64_t id = row_.integer(column);
    if (kProcess < 0 || ids_.correlations.is_our_own()) return id;
    if (may_lack_process && row_.is_null(kProcess)) return id;
    return ids_.correlations.in_process(id, process());
  }

  std::int32_t device(int column) {
    const std::int32_t id = row_.integer32(column);
    if (!ids_.devices.has_mapping()) return id;
    if (kProcess >= 0) return ids_.devices.in_process(id, process());
    if (kPid >= 0) return ids_.devices.of(id, row_.integer(kPid));
    return id;
  }

  const Record blank_{};
  RowIds& ids_;
  Rows row_;
};

// Reads all records of a table.
template <class Record>
std::vector<Record> read_all(Database& database, RowIds& ids, std::string_view order_by = "") {
  std::vector<Record> records;
  RowReader<table<Record>> rows(database, ids, order_by);
  Record record;
  while (rows.next(record)) records.push_back(std::move(record));
  return records;
}

}  // namespace mansard::store
