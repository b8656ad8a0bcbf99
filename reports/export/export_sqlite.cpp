// SPDX-License-Identifier: Apache-2.0
// The recording's own database, copied page by page, and the analysis as tables beside it.
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "analyzer/rows_of_kernels.h"
#include "collector/store/close_database.h"
#include "collector/store/open_profile.h"
#include "collector/store/table_writer.h"
#include "reports/export/export.h"
#include "support/files.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

constexpr double kNsPerSecond = 1e9;

std::optional<double> positive_ns(double time_s) {
  return time_s > 0 ? std::optional(kNsPerSecond * time_s) : std::nullopt;
}

class RowTables {
 public:
  explicit RowTables(store::Database& database) : database_(database) {
    // Of an earlier export of the same recording.
    for (const std::string_view table : store::kAnalysisTables) {
      database.exec("DROP TABLE IF EXISTS " + std::string(table));
      database.exec(store::create_statement(table));
    }
  }

  void add(std::int64_t id, const analysis::KernelRow& row) {
    const double flop = row.work.total_flop();
    std::optional<std::string_view> precision;
    if (row.precision) precision = info(*row.precision).label;
    const bool limited = row.limit.time_s > 0;
    const std::string name = valid_utf8(row.name);
    const std::string short_name = valid_utf8(row.short_name);
    const std::string operation_class = valid_utf8(row.operation_class);
    const auto bound =
        limited ? std::optional<std::string_view>(row.limit.bound_label) : std::nullopt;
    rows_.insert(id, std::string_view(name), std::string_view(short_name),
                 std::string_view(operation_class), precision, store::unless_empty(row.library),
                 store::unless_empty(row.pass), row.target == kernels::Target::host ? 1 : 0,
                 row.grid[0], row.grid[1], row.grid[2], row.block[0], row.block[1], row.block[2],
                 row.shared_bytes, row.launches, std::llround(kNsPerSecond * row.time_s),
                 kNsPerSecond * row.min_s, kNsPerSecond * row.median_s, kNsPerSecond * row.max_s,
                 row.share, store::unless(flop, 0.0), positive_ns(row.limit.time_s), bound,
                 row.inefficiency, to_string(row.origin));
    for (const auto& [level, bytes] : row.work.bytes) {
      if (bytes > 0) bytes_.insert(id, info(level).key, bytes);
    }
  }

  // The launches that a row's figures are of. Profile::kernels are the table's rows by start, those
  // of one start in the order of their rowids.
  void add_launches(const analysis::RunAnalysis& run) {
    if (!database_.has_table("CUPTI_ACTIVITY_KIND_KERNEL")) return;
    const std::vector<std::size_t> row_of = analysis::rows_of_kernels(run);
    store::Statement kernel = database_.prepare(
        "SELECT rowid, start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start, rowid");
    std::size_t index = 0;
    bool same = true;
    for (; same && kernel.step(); ++index) {
      same = index < row_of.size() && run.profile.kernels[index].start_ns == kernel.integer(1);
      if (!same || row_of[index] == analysis::kNoRow) continue;
      if (!run.all_disturbed && run.disturbed.contains(kernel.integer(1))) continue;
      launches_.insert(kernel.integer(0), static_cast<std::int64_t>(row_of[index]) + 1);
    }
    if (!same || index != row_of.size()) {
      throw std::runtime_error(run.profile.file.string() +
                               ": has changed while it was exported; try again");
    }
  }

 private:
  store::Database& database_;
  store::TableWriter rows_{
      database_,
      "MANSARD_KERNEL_ROWS",
      {"id",           "name",           "shortName", "class",    "precision", "library", "pass",
       "isHost",       "gridX",          "gridY",     "gridZ",    "blockX",    "blockY",  "blockZ",
       "sharedMemory", "launches",       "timeNs",    "minNs",    "medianNs",  "maxNs",   "share",
       "flop",         "speedOfLightNs", "boundBy",   "distance", "origin"}};
  store::TableWriter bytes_{database_, "MANSARD_KERNEL_ROW_BYTES", {"rowId", "level", "bytes"}};
  store::TableWriter launches_{database_, "MANSARD_KERNEL_LAUNCHES", {"kernelId", "rowId"}};
};

void copy_recording(const std::filesystem::path& from, const std::filesystem::path& to) {
  store::OpenedProfile opened = store::open_profile(from);
  if (!std::ofstream(to)) throw std::runtime_error("cannot write '" + to.string() + "'");
  store::Database copy(to.string(), store::Database::Access::read_write);
  opened.database.copy_to(copy);
  // Of an abandoned recording in a read-only folder only the copy can be told so.
  if (opened.abandoned) {
    copy.exec("UPDATE MANSARD_STATE SET state = 'interrupted'");
  }
  // One file: the recording's own may have been with a write-ahead log.
  copy.exec("PRAGMA journal_mode=DELETE");
}

}  // namespace

void export_sqlite(const ExportInput& input, const std::filesystem::path& output) {
  const analysis::RunAnalysis& run = input.run;
  if (run.profile.session.state == store::RecordingState::recording) {
    throw std::runtime_error(run.profile.file.string() +
                             ": is still being recorded, and only a finished recording can be "
                             "copied. Wait until its program has ended, or export a trace or a "
                             "table.");
  }
  OutputFile unfinished(output, OutputKind::database);
  copy_recording(run.profile.file, unfinished.file());
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    // The file has no name yet: what is lost in a crash is never seen.
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
