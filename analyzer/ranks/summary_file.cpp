// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/summary_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "collector/store/open_profile.h"
#include "collector/store/row_reader.h"
#include "collector/store/row_writer.h"
#include "support/files.h"

namespace mansard::analysis {
namespace {

namespace fs = std::filesystem;
using store::column;
using store::make_table;

constexpr std::string_view kRankTableName = "MANSARD_RANK";

std::string_view to_text(StepOrigin origin) {
  switch (origin) {
    case StepOrigin::ranges:
      return "ranges";
    case StepOrigin::period:
      return "repetition";
    case StepOrigin::whole:
      break;
  }
  return "none";
}

StepOrigin origin_of(std::string_view text) {
  if (text == "ranges") return StepOrigin::ranges;
  return text == "repetition" ? StepOrigin::period : StepOrigin::whole;
}

struct RankRow : RankSummary {
  std::int64_t version = kRankSummaryVersion;
};

// A row of another table, with its rank.
template <class Part>
struct OfRank : Part {
  std::int64_t rank = 0;
};

// Members of base classes are columns too.
template <class Row, class Base, class Value>
constexpr auto member(std::string_view name, Value Base::*of) {
  return column(name, static_cast<Value Row::*>(of));
}

template <class Row>
constexpr auto optional_real(std::string_view name, std::optional<double> Row::*of) {
  return store::computed<Row>(
      name, [of](const Row& row) { return row.*of; },
      [of](Row& row, const auto& cell) { row.*of = cell.real(); });
}

using SplitOfStep = StepSplit;

template <std::int64_t StepSplit::*kPart>
constexpr auto typical_ns(std::string_view name) {
  return store::computed<RankRow>(
             name, [](const RankRow& row) { return std::optional(row.typical.*kPart); },
             [](RankRow& row, const auto& cell) { row.typical.*kPart = cell.integer(); })
      .not_null();
}

using R = RankRow;
constexpr auto kRankTable = make_table<R>(
    kRankTableName,
    "One row. Of the device with the most kernel time. Ns columns named typical... are sums over\n"
    "the typical steps; hiddenNs is not a part of the step, the others add up to it. Times with\n"
    "Utc are on the clock of the host.",
    column("version", &R::version), member<R>("rank", &RankSummary::rank),
    member<R>("worldSize", &RankSummary::world_size), member<R>("host", &RankSummary::host),
    member<R>("boot", &RankSummary::boot), member<R>("pid", &RankSummary::pid),
    member<R>("command", &RankSummary::command), member<R>("complete", &RankSummary::complete),
    member<R>("droppedEvents", &RankSummary::dropped_events), member<R>("file", &RankSummary::file),
    member<R>("fileBytes", &RankSummary::file_bytes),
    member<R>("fileChangedUtcNs", &RankSummary::file_changed_utc_ns),
    member<R>("options", &RankSummary::options), member<R>("deviceId", &RankSummary::device_id),
    member<R>("device", &RankSummary::device), member<R>("deviceUuid", &RankSummary::device_uuid),
    member<R>("devices", &RankSummary::devices),
    member<R>("startUtcNs", &RankSummary::start_utc_ns),
    member<R>("endUtcNs", &RankSummary::end_utc_ns), member<R>("kernels", &RankSummary::kernels),
    store::computed<R>(
        "stepOrigin", [](const R& row) { return std::optional(to_text(row.origin)); },
        [](R& row, const auto& cell) { row.origin = origin_of(cell.text_view()); })
        .not_null(),
    member<R>("steps", &RankSummary::steps), member<R>("typicalSteps", &RankSummary::typical_steps),
    member<R>("disturbedSteps", &RankSummary::disturbed_steps),
    member<R>("stepStride", &RankSummary::step_stride),
    typical_ns<&SplitOfStep::kernels_ns>("typicalKernelsNs"),
    typical_ns<&SplitOfStep::exposed_ns>("typicalExposedNs"),
    typical_ns<&SplitOfStep::memcpy_ns>("typicalMemcpyNs"),
    typical_ns<&SplitOfStep::graphs_ns>("typicalGraphsNs"),
    typical_ns<&SplitOfStep::idle_ns>("typicalIdleNs"),
    typical_ns<&SplitOfStep::hidden_ns>("typicalHiddenNs"),
    member<R>("stepMedianNs", &RankSummary::step_median_ns),
    member<R>("stepP95Ns", &RankSummary::step_p95_ns),
    member<R>("stepMaxNs", &RankSummary::step_max_ns),
    member<R>("stepLaunches", &RankSummary::step_launches),
    optional_real<R>("smClockHz", &R::sm_clock_hz), optional_real<R>("powerW", &R::power_w),
    member<R>("sampleLevel", &RankSummary::sample_level));

using S = OfRank<RankStep>;
constexpr auto kStepTable = make_table<S>(
    "MANSARD_RANK_STEP",
    "Steps whose number is a multiple of stepStride. Parts as in MANSARD_RANK, of one step.",
    column("rank", &S::rank), member<S>("number", &RankStep::number),
    member<S>("startUtcNs", &RankStep::start_utc_ns), member<S>("endUtcNs", &RankStep::end_utc_ns),
    member<S>("kernelsNs", &StepSplit::kernels_ns), member<S>("exposedNs", &StepSplit::exposed_ns),
    member<S>("memcpyNs", &StepSplit::memcpy_ns), member<S>("graphsNs", &StepSplit::graphs_ns),
    member<S>("idleNs", &StepSplit::idle_ns), member<S>("hiddenNs", &StepSplit::hidden_ns),
    member<S>("typical", &RankStep::typical));

using P = OfRank<RankPart>;
constexpr auto kPartTable = make_table<P>(
    "MANSARD_RANK_PART",
    "Kernels by class (idle 0) and idle time by cause (idle 1), summed over the typical steps.",
    column("rank", &P::rank), member<P>("idle", &RankPart::idle),
    member<P>("name", &RankPart::name), member<P>("timeNs", &RankPart::time_ns));

using C = OfRank<RankCollective>;
constexpr auto kCollectiveTable = make_table<C>(
    "MANSARD_RANK_COLLECTIVE", "Kernels of collectives that all ranks end at the same time.",
    column("rank", &C::rank), member<C>("id", &RankCollective::id),
    member<C>("name", &RankCollective::name), member<C>("launches", &RankCollective::launches),
    member<C>("timeNs", &RankCollective::time_ns));

using Sample = OfRank<CollectiveSample>;
constexpr auto kSampleTable = make_table<Sample>(
    "MANSARD_RANK_SAMPLE",
    "Start and end of some launches of these kernels, chosen by their number alike "
    "on all ranks, and\n"
    "the longest time in them during which no kernel computes.",
    column("rank", &Sample::rank), member<Sample>("collective", &CollectiveSample::collective),
    member<Sample>("launch", &CollectiveSample::launch),
    member<Sample>("startUtcNs", &CollectiveSample::start_utc_ns),
    member<Sample>("endUtcNs", &CollectiveSample::end_utc_ns),
    member<Sample>("exposedStartUtcNs", &CollectiveSample::exposed_start_utc_ns),
    member<Sample>("exposedEndUtcNs", &CollectiveSample::exposed_end_utc_ns),
    member<Sample>("typical", &CollectiveSample::typical));

template <const auto& kTable, class Part>
void write_parts(store::Database& database, int rank, const std::vector<Part>& parts) {
  database.exec(store::create_statement(kTable));
  store::RowWriter<kTable> writer(database);
  for (const Part& part : parts) writer.insert({part, rank});
}

template <const auto& kTable, class Part>
void read_parts(store::Database& database, store::RowIds& ids, std::vector<Part>& parts) {
  store::RowReader<kTable> reader(database, ids, "rowid");
  OfRank<Part> row;
  while (reader.next(row)) parts.push_back(row);
}

// Unsorted or dangling rows would break the merge.
void check(const RankSummary& summary) {
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error("is not a valid rank summary (" + why +
                             "). Delete it and run the analysis again.");
  };
  if (summary.rank < 0) fail("negative rank");
  if (summary.step_stride < 1) fail("step stride below 1");
  if (summary.typical_steps < 0 || summary.steps < 0) fail("negative number of steps");
  const auto collectives = static_cast<std::int64_t>(summary.collectives.size());
  for (std::int64_t i = 0; i < collectives; ++i) {
    if (summary.collectives[static_cast<std::size_t>(i)].id != i) fail("collectives out of order");
  }
  const CollectiveSample* previous = nullptr;
  for (const CollectiveSample& sample : summary.samples) {
    if (sample.collective < 0 || sample.collective >= collectives) fail("unknown collective");
    if (previous != nullptr && std::pair(previous->collective, previous->launch) >=
                                   std::pair(sample.collective, sample.launch)) {
      fail("samples out of order");
    }
    previous = &sample;
  }
}

}  // namespace

fs::path summary_path(const fs::path& folder, const fs::path& profile) {
  return folder / (profile.stem().string() + std::string(kSummarySuffix));
}

void write_summary(const RankSummary& summary, const fs::path& file) {
  OutputFile unfinished(file, OutputKind::database);
  if (!std::ofstream(unfinished.file())) {
    throw std::runtime_error("cannot write '" + unfinished.file().string() + "'");
  }
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    // The file is still temporary, so a crash cannot leave a damaged summary.
    database.exec("PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN");
    RankRow row;
    static_cast<RankSummary&>(row) = summary;
    store::RowWriter<kRankTable>(database).insert(row);
    write_parts<kStepTable>(database, summary.rank, summary.step_samples);
    write_parts<kPartTable>(database, summary.rank, summary.parts);
    write_parts<kCollectiveTable>(database, summary.rank, summary.collectives);
    write_parts<kSampleTable>(database, summary.rank, summary.samples);
    database.exec("COMMIT");
  }
  unfinished.finish();
}

RankSummary read_summary(const fs::path& file) {
  try {
    store::OpenedProfile opened = store::open_profile(file);
    store::Database& database = opened.database;
    if (!database.has_table(kRankTableName)) throw std::runtime_error("is not a rank summary");
    store::RowIds ids(database);
    RankRow row;
    store::RowReader<kRankTable> reader(database, ids);
    if (!reader.next(row)) throw std::runtime_error("is an empty rank summary");
    if (row.version != kRankSummaryVersion) {
      throw std::runtime_error("is a rank summary of another version of Mansard (" +
                               std::to_string(row.version) + "; this one reads " +
                               std::to_string(kRankSummaryVersion) +
                               "). Run the analysis of the profile again.");
    }
    read_parts<kStepTable>(database, ids, row.step_samples);
    read_parts<kPartTable>(database, ids, row.parts);
    read_parts<kCollectiveTable>(database, ids, row.collectives);
    read_parts<kSampleTable>(database, ids, row.samples);
    check(row);
    return row;
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    if (what.starts_with(file.string())) throw;
    throw std::runtime_error(file.string() + ": " + what);
  }
}

bool is_summary(const fs::path& file) {
  try {
    return store::open_profile(file).database.has_table(kRankTableName);
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::string summary_schema() {
  std::string sql =
      "-- SPDX-License-Identifier: Apache-2.0\n"
      "-- The tables of a rank summary, which `mansard analyze --summaries` writes.\n";
  const auto add = [&](const auto& table) {
    sql += '\n';
    std::istringstream about{std::string(table.about)};
    for (std::string line; std::getline(about, line);) sql += "-- " + line + '\n';
    sql += store::create_statement(table) + ";\n";
  };
  add(kRankTable);
  add(kStepTable);
  add(kPartTable);
  add(kCollectiveTable);
  add(kSampleTable);
  return sql;
}

}  // namespace mansard::analysis
