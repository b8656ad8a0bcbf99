// SPDX-License-Identifier: Apache-2.0
// The tables of --to csv, and the findings of --to json.
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/formats/notes.h"
#include "support/text.h"
#include "tests/reports/export_fixture.h"
#include "tests/reports/format_readers.h"

namespace mansard::test {
namespace {

using readers::Grid;
using readers::read_csv;
using Rows = std::vector<std::map<std::string, std::string>>;

Rows rows_of(const analysis::RunAnalysis& run, reports::ExportTable table) {
  StringSink sink;
  reports::export_csv({.run = run, .names = export_names()}, table, sink);
  const Grid grid = read_csv(sink.text);
  Rows rows;
  for (std::size_t r = 1; r < grid.size(); ++r) {
    EXPECT_EQ(grid[r].size(), grid[0].size()) << "row " << r;
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < grid[0].size(); ++c) row[grid[0][c]] = grid[r][c];
  }
  return rows;
}

std::map<std::string, std::string> row_of(const Rows& rows, const std::string& key,
                                          const std::string& value) {
  for (const auto& row : rows) {
    if (row.at(key) == value) return row;
  }
  ADD_FAILURE() << "no row with " << key << " " << value;
  return {};
}

class Csv : public testing::Test {
 protected:
  const analysis::RunAnalysis run = export_run();
};

TEST_F(Csv, LaunchesAreOneRowEach) {
  const Rows rows = rows_of(run, reports::ExportTable::launches);
  ASSERT_EQ(rows.size(), run.profile.kernels.size());
  auto gemm = row_of(rows, "name", "void gemm<128, true>(float*)");
  EXPECT_EQ(gemm["start_ns"], std::to_string(kStart + 10'003));
  EXPECT_EQ(gemm["duration_ns"], "3001");
  EXPECT_EQ(gemm["grid"], "132x2x3");
  EXPECT_EQ(gemm["block"], "384x1x1");
  EXPECT_EQ(gemm["shared_memory_bytes"], "201024");
  EXPECT_EQ(gemm["registers"], "168");
  EXPECT_EQ(gemm["class"], "gemm");
  EXPECT_EQ(gemm["precision"], "BF16");
  EXPECT_EQ(std::stod(gemm["flop"]), 3e6);
  EXPECT_DOUBLE_EQ(std::stod(gemm["flop_per_s"]), 3e6 / 3.001e-6);
  EXPECT_EQ(std::stod(gemm["hbm_bytes"]), 2e4);
  EXPECT_DOUBLE_EQ(std::stod(gemm["sol_s"]), 3e-6);
  EXPECT_EQ(gemm["bound"], "BF16");
  EXPECT_EQ(gemm["range"], "layer.0");
  EXPECT_EQ(gemm["range_path"], "step 0 / layer.0");
  auto node = row_of(rows, "name", "node_b");
  EXPECT_EQ(node["graph_node"], "12");
  EXPECT_EQ(node["range_path"], "step 0");
  EXPECT_EQ(node["flop"], "");
  EXPECT_EQ(node["sol_s"], "");
  auto lost = row_of(rows, "name", "lost its times");
  EXPECT_EQ(lost["start_ns"] + lost["duration_ns"], "");
  EXPECT_EQ(lost["range_path"], "") << "its call was not recorded";
  row_of(rows, "name", safe_lines(fixture::hostile_name()));
  row_of(rows, "name", std::string(4000, '<'));
}

// The FLOPs and bytes of a range are distributed over its kernels by time; rows are the sums of
// their launches.
TEST_F(Csv, LaunchesAddUpToTheAnalysisRows) {
  ProfileBuilder b;
  b.range(0, 1'000, "a | flop=4e6 hbm=8e3 precision=bf16");
  b.range(1'000, 2'000, "b | flop=1e6 precision=bf16");
  b.launch(10, 5'000, 6'000, "k");
  b.launch(20, 6'000, 9'000, "k");
  b.launch(1'010, 9'000, 10'000, "k");
  const analysis::RunAnalysis same = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(same.rows.size(), 2u) << "all are of one signature; the ranges state different work";
  const Rows rows = rows_of(same, reports::ExportTable::launches);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(std::stod(rows[0].at("flop")), 1e6) << "a quarter of the range's time";
  EXPECT_EQ(std::stod(rows[1].at("flop")), 3e6);
  EXPECT_EQ(std::stod(rows[2].at("flop")), 1e6) << "the other range's";
  EXPECT_EQ(std::stod(rows[1].at("hbm_bytes")), 6e3);
  EXPECT_EQ(rows[2].at("hbm_bytes"), "");
  EXPECT_EQ(same.rows[0].work.total_flop(), 4e6);
  EXPECT_EQ(same.rows[1].work.total_flop(), 1e6);
}

TEST_F(Csv, KernelsAreThoseOfTheAnalysis) {
  const Rows rows = rows_of(run, reports::ExportTable::kernels);
  EXPECT_EQ(rows.size(), run.rows.size());
  EXPECT_EQ(row_of(rows, "class", "gemm")["launches"], "1");
}

TEST_F(Csv, RangesHaveTheirWorkAndThread) {
  const Rows rows = rows_of(run, reports::ExportTable::ranges);
  EXPECT_EQ(rows.size(), 7u);
  auto layer = row_of(rows, "name", "layer.0");
  EXPECT_EQ(layer["duration_ns"], "8000");
  EXPECT_EQ(layer["pid"], "7");
  EXPECT_EQ(layer["tid"], "1");
  EXPECT_EQ(std::stod(layer["flop"]), 3e6);
  EXPECT_EQ(layer["precision"], "BF16");
  EXPECT_EQ(layer["class"], "gemm");
  EXPECT_EQ(layer["thread"], safe_lines("main " + fixture::hostile_name()));
  EXPECT_EQ(row_of(rows, "name", "began")["began_before_recording"], "1");
  EXPECT_EQ(row_of(rows, "name", "began")["flop"], "");
  EXPECT_EQ(row_of(rows, "name", "stays open")["duration_ns"], "") << "it has no end";
  EXPECT_EQ(row_of(rows, "kind", "mark")["duration_ns"], "0");
}

TEST_F(Csv, CopiesAndCalls) {
  const Rows copies = rows_of(run, reports::ExportTable::memory_operations);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].at("name"), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copies[0].at("bytes"), "4096");
  EXPECT_EQ(copies[1].at("kind"), "memset");
  EXPECT_EQ(copies[1].at("duration_ns"), "0");
  const Rows calls = rows_of(run, reports::ExportTable::api);
  EXPECT_EQ(calls.size(), 5u);
  EXPECT_EQ(row_of(calls, "name", "cudaMemcpyAsync")["duration_ns"], "1000");
}

TEST_F(Csv, EmptyTableIsTheHeader) {
  store::Profile empty;
  empty.file = "empty.sqlite";
  const analysis::RunAnalysis nothing = analysis::analyze_run(empty, {});
  for (const std::string& key : reports::csv_table_keys()) {
    StringSink sink;
    reports::export_csv({.run = nothing}, *reports::parse_export_table(key), sink);
    EXPECT_EQ(read_csv(sink.text).size(), 1u) << key;
    EXPECT_GT(read_csv(sink.text)[0].size(), 5u) << key;
  }
  EXPECT_EQ(reports::parse_export_table("kernls"), std::nullopt);
}

TEST_F(Csv, JsonHasEveryAnalysisAndTheNotes) {
  StringSink sink;
  reports::export_json({.run = run}, sink);
  const auto findings = nlohmann::json::parse(sink.text)["findings"];
  const auto& analyses = analysis::analysis_registry().all();
  ASSERT_FALSE(run.notes.empty());
  ASSERT_EQ(findings.size(), analyses.size() + 1);
  EXPECT_EQ(findings.back()["id"], "notes");
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    EXPECT_EQ(findings[i]["id"], analyses[i].run(run).id);
  }
}

}  // namespace
}  // namespace mansard::test
