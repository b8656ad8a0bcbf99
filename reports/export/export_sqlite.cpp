// SPDX-License-Identifier: Apache-2.0
// A page-by-page copy of the profile database with additional tables for the analysis.
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "analyzer/launch_table.h"
#include "collector/store/close_database.h"
#include "collector/store/open_profile.h"
#include "collector/store/row_writer.h"
#include "collector/store/schema.h"
#include "reports/export/export.h"
#include "support/files.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

constexpr double kNsPerSecond = 1e9;

using analysis::KernelRow;

// A row of the analysis with its number, starting at 1.
struct NumberedRow {
  std::int64_t id = 0;
  const KernelRow* row = nullptr;
};

// `get` returns an optional value of a KernelRow.
template <class Get>
constexpr auto row_column(std::string_view name, std::string_view constraint, Get get) {
  using Value = typename std::invoke_result_t<Get, const KernelRow&>::value_type;
  return store::computed<NumberedRow>(
             name, [get](const NumberedRow& numbered) { return get(*numbered.row); }, nullptr)
      .of_type(store::sql_type_of<Value>(), constraint);
}

template <class Value>
constexpr auto row_column(std::string_view name, Value KernelRow::*member) {
  return row_column(name, "NOT NULL",
                    [member](const KernelRow& row) { return std::optional(row.*member); });
}

constexpr auto text_column(std::string_view name, std::string KernelRow::*member) {
  return row_column(name, "NOT NULL", [member](const KernelRow& row) {
    return std::optional(valid_utf8(row.*member));
  });
}

// NULL for "".
constexpr auto optional_text_column(std::string_view name, std::string KernelRow::*member) {
  return row_column(name, "", [member](const KernelRow& row) {
    const std::string& text = row.*member;
    return text.empty() ? std::nullopt : std::optional(std::string_view(text));
  });
}

constexpr auto extent_column(std::string_view name, std::array<std::int32_t, 3> KernelRow::*member,
                             std::size_t axis) {
  return row_column(name, "NOT NULL", [member, axis](const KernelRow& row) {
    return std::optional((row.*member)[axis]);
  });
}

constexpr auto ns_column(std::string_view name, double KernelRow::*member) {
  return row_column(name, "", [member](const KernelRow& row) {
    return std::optional(kNsPerSecond * (row.*member));
  });
}

constexpr auto kRowTable = store::make_table<NumberedRow>(
    "MANSARD_KERNEL_ROWS",
    "Added by `mansard export --to sqlite`: one row per kernel signature. Times are sums over the\n"
    "launches; NULL: not available. precision and boundBy are as in the analysis' tables; origin\n"
    "says where FLOPs and bytes come from. isHost 1: annotated work of the host, whose launches\n"
    "are ranges.",
    store::column("id", &NumberedRow::id).of_type(store::SqlType::integer, "NOT NULL PRIMARY KEY"),
    text_column("name", &KernelRow::name), text_column("shortName", &KernelRow::short_name),
    row_column("class", "NOT NULL",
               [](const KernelRow& row) { return std::optional(valid_utf8(row.operation_class)); }),
    row_column("precision", "",
               [](const KernelRow& row) {
                 return row.precision ? std::optional(std::string_view(info(*row.precision).label))
                                      : std::nullopt;
               }),
    optional_text_column("library", &KernelRow::library),
    optional_text_column("pass", &KernelRow::pass),
    row_column(
        "isHost", "NOT NULL",
        [](const KernelRow& row) { return std::optional(row.target == kernels::Target::host); }),
    extent_column("gridX", &KernelRow::grid, 0), extent_column("gridY", &KernelRow::grid, 1),
    extent_column("gridZ", &KernelRow::grid, 2), extent_column("blockX", &KernelRow::block, 0),
    extent_column("blockY", &KernelRow::block, 1), extent_column("blockZ", &KernelRow::block, 2),
    row_column("sharedMemory", &KernelRow::shared_bytes),
    row_column("launches", &KernelRow::launches),
    row_column("timeNs", "NOT NULL",
               [](const KernelRow& row) {
                 return std::optional(std::llround(kNsPerSecond * row.time_s));
               }),
    ns_column("minNs", &KernelRow::min_s), ns_column("medianNs", &KernelRow::median_s),
    ns_column("maxNs", &KernelRow::max_s), row_column("share", &KernelRow::share),
    row_column("flop", "",
               [](const KernelRow& row) {
                 const double flop = row.work.total_flop();
                 return flop != 0 ? std::optional(flop) : std::nullopt;
               }),
    row_column("speedOfLightNs", "",
               [](const KernelRow& row) {
                 return row.sol.time_s > 0 ? std::optional(kNsPerSecond * row.sol.time_s)
                                           : std::nullopt;
               }),
    row_column("boundBy", "",
               [](const KernelRow& row) {
                 return row.sol.time_s > 0 ? std::optional(std::string_view(row.sol.bound_label))
                                           : std::nullopt;
               }),
    row_column("slowdown", "", [](const KernelRow& row) { return row.slowdown; }),
    row_column("origin", "NOT NULL",
               [](const KernelRow& row) { return std::optional(to_string(row.origin)); }));

struct RowBytes {
  std::int64_t row = 0;
  std::string_view level;
  double bytes = 0;
};

constexpr auto kBytesTable = store::make_table<RowBytes>(
    "MANSARD_KERNEL_ROW_BYTES",
    "Bytes at each tier for which they are known, by the keys of `mansard list tiers`.",
    store::column("rowId", &RowBytes::row), store::column("level", &RowBytes::level),
    store::column("bytes", &RowBytes::bytes));

struct RowLaunch {
  std::int64_t kernel = 0;
  std::int64_t row = 0;
};

constexpr auto kLaunchTable = store::make_table<RowLaunch>(
    "MANSARD_KERNEL_LAUNCHES",
    "The row of each kernel: kernelId is the rowid of CUPTI_ACTIVITY_KIND_KERNEL.",
    store::column("kernelId", &RowLaunch::kernel)
        .of_type(store::SqlType::integer, "NOT NULL PRIMARY KEY"),
    store::column("rowId", &RowLaunch::row));

class RowTables {
 public:
  explicit RowTables(store::Database& database) : database_(database) {
    // Tables of an earlier export of the same profile.
    for (const std::string_view table : store::kAnalysisTables) {
      database.exec("DROP TABLE IF EXISTS " + std::string(table));
    }
    database.exec(store::create_statement(kRowTable));
    database.exec(store::create_statement(kBytesTable));
    database.exec(store::create_statement(kLaunchTable));
  }

  void add(std::int64_t id, const KernelRow& row) {
    rows_.insert({id, &row});
    for (const auto& [level, bytes] : row.work.bytes) {
      if (bytes > 0) bytes_.insert({id, info(level).key, bytes});
    }
  }

  // The launches of each row. Profile::kernels has the order of the table by start, then rowid.
  void add_launches(const analysis::RunAnalysis& run) {
    if (!database_.has_table("CUPTI_ACTIVITY_KIND_KERNEL")) return;
    const analysis::LaunchTable& launches = analysis::launches_of(run);
    const std::size_t kernels = run.profile.kernels.size();
    store::Statement kernel = database_.prepare(
        "SELECT rowid, start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start, rowid");
    std::size_t index = 0;
    bool same = true;
    for (; same && kernel.step(); ++index) {
      same = index < kernels && run.profile.kernels[index].start_ns == kernel.integer(1);
      if (!same || launches.row(index) == analysis::kNoRow) continue;
      if (!run.all_disturbed && run.disturbed.contains(kernel.integer(1))) continue;
      launches_.insert({kernel.integer(0), static_cast<std::int64_t>(launches.row(index)) + 1});
    }
    if (!same || index != kernels) {
      throw std::runtime_error(run.profile.file.string() +
                               ": changed during the export; try again");
    }
  }

 private:
  store::Database& database_;
  store::RowWriter<kRowTable> rows_{database_};
  store::RowWriter<kBytesTable> bytes_{database_};
  store::RowWriter<kLaunchTable> launches_{database_};
};

void copy_recording(const std::filesystem::path& from, const std::filesystem::path& to) {
  store::OpenedProfile opened = store::open_profile(from);
  if (!std::ofstream(to)) throw std::runtime_error("cannot write '" + to.string() + "'");
  store::Database copy(to.string(), store::Database::Access::read_write);
  opened.database.copy_to(copy);
  // An abandoned recording in a read-only folder can only be marked in the copy.
  if (opened.abandoned) {
    copy.exec("UPDATE MANSARD_STATE SET state = 'interrupted'");
  }
  // Ensures a single file: the source may use a write-ahead log.
  copy.exec("PRAGMA journal_mode=DELETE");
}

}  // namespace

void export_sqlite(const ExportInput& input, const std::filesystem::path& output) {
  const analysis::RunAnalysis& run = input.run;
  if (run.profile.session.state == store::RecordingState::recording) {
    throw std::runtime_error(run.profile.file.string() +
                             ": is still being recorded; only a finished profile can be "
                             "exported to SQLite. Wait until its program has ended, or export a "
                             "trace or a table.");
  }
  OutputFile unfinished(output, OutputKind::database);
  copy_recording(run.profile.file, unfinished.file());
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    // The file is still temporary, so a crash cannot leave a damaged export.
    database.exec("PRAGMA synchronous=OFF; BEGIN");
    RowTables tables(database);
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      tables.add(static_cast<std::int64_t>(i) + 1, run.rows[i]);
    }
    tables.add_launches(run);
    database.exec("COMMIT");
  }
  unfinished.finish();
}

}  // namespace mansard::reports
