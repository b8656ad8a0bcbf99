// SPDX-License-Identifier: Apache-2.0
// A table of a profile is declared once, as a constexpr value: its columns, the record member of
// each, and what its numbers refer to. CREATE and INSERT (row_writer.h), SELECT (row_reader.h), the
// packed form in memory (record_packer.h) and merging (collector/merge) are derived from it.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace mansard::store {

// Reference of a column's numbers: ids of two processes or two merged profiles have different
// meanings, and times have different origins.
enum class ColumnKind {
  plain,
  time,         // ns since the session's start
  string,       // StringIds.id
  process,      // globalPid or globalTid
  pid,          // of the operating system
  machine,      // number of the machine
  device,       // number of a GPU
  correlation,  // of an API call, counted per process
  domain,       // of NVTX
  event,        // rowid of NVTX_EVENTS
  reading,      // MANSARD_COUNTER_READING.id
};

enum class SqlType { integer, real, text };

// Converts a value to a type that SQLite accepts: integer, double or text.
template <class Value>
auto to_sql(const Value& value) {
  if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<double>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

// Sets `value` from a cell (row_reader.h) that is not NULL.
template <class Value, class Cell>
void from_sql(Value& value, const Cell& cell) {
  if constexpr (std::is_same_v<Value, std::string>) {
    value = cell.text_view();
  } else if constexpr (std::is_same_v<Value, std::string_view>) {
    value = cell.text_view();
  } else if constexpr (std::is_floating_point_v<Value>) {
    value = static_cast<Value>(cell.real());
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = cell.integer() != 0;
  } else {
    value = static_cast<Value>(cell.integer());  // 4294967295 is -1 of a 32-bit id
  }
}

template <class Value>
constexpr SqlType sql_type_of() {
  if constexpr (std::is_convertible_v<Value, std::string_view>) return SqlType::text;
  return std::is_floating_point_v<Value> ? SqlType::real : SqlType::integer;
}

// ---- Where a column's value is: accessors
// ----------------------------------------------------------

template <class Record_, class Value_>
struct Member {
  using Record = Record_;
  using Value = Value_;
  Value Record::*member;
  constexpr const Value& operator()(const Record& record) const { return record.*member; }
  constexpr Value& operator()(Record& record) const { return record.*member; }
};

// A member without a column in the table.
template <class Record, class Value>
struct InMemory : Member<Record, Value> {
  static constexpr bool kOnlyInMemory = true;
};

template <class Record_, class Value_, std::size_t N>
struct Element {
  using Record = Record_;
  using Value = Value_;
  std::array<Value, N> Record::*member;
  std::size_t index;
  constexpr const Value& operator()(const Record& r) const { return (r.*member)[index]; }
  constexpr Value& operator()(Record& r) const { return (r.*member)[index]; }
};

// `get` returns an optional value of a record; `set` takes a record and a cell that is not NULL, or
// is nullptr for a column that is not read.
template <class Record_, class Get, class Set>
struct Computed {
  using Record = Record_;
  using Value = typename std::invoke_result_t<Get, const Record&>::value_type;
  Get get;
  Set set;
};

// A constant column, which is not read.
template <class Value_>
struct Constant {
  using Value = Value_;
  Value value;
};

// The recorded process, which the writer knows and records do not store.
struct RecordedProcess {
  using Value = std::int64_t;
};

// A column of Nsight Systems without a value.
struct Unused {
  using Value = std::int64_t;
};

template <class Access>
concept InRecord = requires(const Access& access, typename Access::Record& record) {
  { access(record) } -> std::same_as<typename Access::Value&>;
};

// ---- Columns
// ---------------------------------------------------------------------------------------

template <class Access_>
struct Column {
  using Access = Access_;
  using Value = typename Access::Value;

  static constexpr bool kInTable = !requires { Access::kOnlyInMemory; };
  static constexpr bool kWritten = kInTable && !std::is_same_v<Access, Unused>;

  std::string_view name;
  Access access;
  ColumnKind kind = ColumnKind::plain;
  SqlType type = sql_type_of<Value>();
  std::string_view constraint = "NOT NULL";
  bool null_for_default = false;  // NULL stands for the value of a new record
  bool unsigned_32 = false;
  bool zero_for_process = false;
  bool may_lack_process = false;

  // May be NULL in other tools' profiles; ours always have a value.
  constexpr Column nullable() const {
    Column column = *this;
    column.constraint = "";
    return column;
  }
  // NULL stands for the value that the member has in a new record.
  constexpr Column optional() const {
    Column column = nullable();
    column.null_for_default = true;
    return column;
  }
  // -1 is written as 4294967295, the missing id of CUPTI and Nsight Systems.
  constexpr Column unsigned_id() const {
    Column column = *this;
    column.unsigned_32 = true;
    return column;
  }
  // 0 stands for the recorded process.
  constexpr Column or_recorded_process() const {
    Column column = *this;
    column.zero_for_process = true;
    return column;
  }
  // A correlation id in a row whose thread may be unknown, so that no API call can be matched.
  constexpr Column without_process() const {
    Column column = *this;
    column.may_lack_process = true;
    return column;
  }
  constexpr Column not_null() const {
    Column column = *this;
    column.constraint = "NOT NULL";
    return column;
  }
  constexpr Column of_kind(ColumnKind column_kind) const {
    Column column = *this;
    column.kind = column_kind;
    return column;
  }
  constexpr Column of_type(SqlType sql_type, std::string_view sql_constraint = "") const {
    Column column = *this;
    column.type = sql_type;
    column.constraint = sql_constraint;
    return column;
  }

  constexpr bool is_created() const { return kInTable && name != "rowid"; }
  static constexpr bool is_read() {
    if constexpr (!kInTable) return false;
    if constexpr (InRecord<Access> || std::is_same_v<Access, RecordedProcess>) return true;
    if constexpr (requires(Access a) { a.set; }) {
      return !std::is_same_v<decltype(Access::set), std::nullptr_t>;
    }
    return false;
  }
};

template <class Record, class Value>
constexpr Column<Member<Record, Value>> column(std::string_view name, Value Record::*member,
                                               ColumnKind kind = ColumnKind::plain) {
  return {name, {member}, kind};
}

template <class Record, class Value, std::size_t N>
constexpr Column<Element<Record, Value, N>> column(std::string_view name,
                                                   std::array<Value, N> Record::*member,
                                                   std::size_t index) {
  return {name, {member, index}};
}

template <class Record, class Get, class Set>
constexpr Column<Computed<Record, Get, Set>> computed(std::string_view name, Get get, Set set) {
  Column<Computed<Record, Get, Set>> column{name, {get, set}};
  column.constraint = "";
  return column;
}

template <class Value>
constexpr Column<Constant<Value>> constant(std::string_view name, Value value,
                                           ColumnKind kind = ColumnKind::plain) {
  return {name, {value}, kind};
}

constexpr Column<RecordedProcess> recorded_process(std::string_view name) {
  return Column<RecordedProcess>{name, {}, ColumnKind::process}.nullable();
}

constexpr Column<Unused> unused(std::string_view name, SqlType type = SqlType::integer) {
  return Column<Unused>{name, {}, ColumnKind::plain, type, ""};
}

template <class Record, class Value>
constexpr Column<InMemory<Record, Value>> in_memory(Value Record::*member) {
  return {"", {{member}}};
}

template <class Record, class Value>
constexpr auto time_column(std::string_view name, Value Record::*member) {
  return column(name, member, ColumnKind::time);
}

// ---- Tables
// ----------------------------------------------------------------------------------------

template <class Record_, class... Columns>
struct Table {
  using Record = Record_;
  static constexpr std::size_t kColumns = sizeof...(Columns);

  std::string_view name;
  std::string_view about;  // for the documented schema; "": documented by Nsight Systems
  std::tuple<Columns...> columns;

  // Calls take(column) for each in order.
  template <class Take>
  constexpr void for_each(Take&& take) const {
    std::apply([&](const auto&... each) { (take(each), ...); }, columns);
  }
};

template <class Record, class... Columns>
constexpr Table<Record, Columns...> make_table(std::string_view name, std::string_view about,
                                               Columns... columns) {
  return {name, about, {columns...}};
}

// The table that holds records of this type: declare_table(), a template beside each record, so
// that a table costs compile time only where it is used.
template <class Record>
inline constexpr auto table = declare_table(std::type_identity<Record>());

// The members that differ in most records, as a tuple of member pointers, the start first. They are
// packed in memory; records with equal other members share those.
template <class Record>
inline constexpr std::nullptr_t packed_members = nullptr;

template <class Record, class... Columns>
std::string create_statement(const Table<Record, Columns...>& declared) {
  std::string sql;
  declared.for_each([&](const auto& column) {
    if (!column.is_created()) return;
    sql += sql.empty() ? "CREATE TABLE " + std::string(declared.name) + " (\n  " : ",\n  ";
    const bool is_keyword = column.name == "end" || column.name == "class";
    sql += is_keyword ? '"' + std::string(column.name) + '"' : std::string(column.name);
    constexpr std::array<std::string_view, 3> kTypes = {" INTEGER", " REAL", " TEXT"};
    sql += kTypes[static_cast<std::size_t>(column.type)];
    if (!column.constraint.empty()) sql.append(" ").append(column.constraint);
  });
  return sql + "\n)";
}

}  // namespace mansard::store
