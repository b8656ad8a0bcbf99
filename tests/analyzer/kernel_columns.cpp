// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kernel_columns.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

analysis::Cell value(const analysis::KernelEntry& entry, std::string_view key) {
  return analysis::at_key(analysis::kernel_columns(), key).value(entry);
}

double number_of(const analysis::KernelEntry& entry, std::string_view key) {
  return std::get<double>(value(entry, key));
}

// 8e12 FLOP and 2e12 B in 2 s; T_sol = 1 s.
analysis::KernelRow gemm() {
  analysis::KernelRow row;
  row.operation_class = "gemm";
  row.short_name = "product";
  row.precision = Precision::bf16;
  row.launches = 4;
  row.time_s = row.cost_s = 2;
  row.share = 0.5;
  row.origin = analysis::WorkOrigin::annotated;
  row.work.flop[Precision::bf16] = 8e12;
  row.work.bytes[MemoryLevel::hbm] = 2e12;
  row.sol.time_s = 1;
  row.sol.bound_label = "BF16";
  row.slowdown = 2;
  return row;
}

// 2 s with unknown work.
analysis::KernelRow unknown() {
  analysis::KernelRow row;
  row.launches = 1;
  row.time_s = 2;
  row.share = 0.5;
  return row;
}

TEST(KernelColumns, HaveAKeyATitleAndHelp) {
  std::set<std::string> keys;
  for (const auto& [column, read] : analysis::kernel_columns()) {
    EXPECT_TRUE(keys.insert(column.key).second) << column.key << " twice";
    EXPECT_FALSE(column.label.empty()) << column.key;
    EXPECT_FALSE(column.description.empty()) << column.key;
    EXPECT_EQ(column.format == analysis::CellFormat::quantity, !column.unit.empty()) << column.key;
    EXPECT_TRUE(read) << column.key;
  }
  EXPECT_THROW(analysis::at_key(analysis::kernel_columns(), "no such key"), std::logic_error);
}

TEST(KernelColumns, ReadARow) {
  const analysis::KernelRow row = gemm();
  const analysis::KernelEntry entry(row);
  EXPECT_EQ(value(entry, "class"), analysis::Cell("gemm"));
  EXPECT_EQ(value(entry, "precision"), analysis::Cell("BF16"));
  EXPECT_EQ(value(entry, "bound"), analysis::Cell("BF16"));
  EXPECT_EQ(value(entry, "launches"), analysis::Cell(std::int64_t{4}));
  EXPECT_DOUBLE_EQ(number_of(entry, "mean_s"), 0.5);
  EXPECT_DOUBLE_EQ(number_of(entry, "flop_per_s"), 4e12);
  EXPECT_DOUBLE_EQ(number_of(entry, "flop_per_byte"), 4);
  EXPECT_DOUBLE_EQ(number_of(entry, "hbm_flop_per_byte"), 4);
  EXPECT_EQ(value(entry, "l2_flop_per_byte"), analysis::Cell());
  EXPECT_DOUBLE_EQ(number_of(entry, "bytes_per_s"), 1e12);
  EXPECT_DOUBLE_EQ(number_of(entry, "slowdown"), 2);
  EXPECT_DOUBLE_EQ(number_of(entry, "sol_fraction"), 0.5);
}

// Rates and slowdowns include the rows with known work only; groups have no row-specific values.
TEST(KernelColumns, ReadAGroup) {
  analysis::KernelEntry group;
  group.totals.add(gemm());
  group.totals.add(unknown());
  EXPECT_EQ(value(group, "signatures"), analysis::Cell(std::int64_t{2}));
  EXPECT_DOUBLE_EQ(number_of(group, "time_s"), 4);
  EXPECT_DOUBLE_EQ(number_of(group, "flop_per_s"), 4e12);
  EXPECT_DOUBLE_EQ(number_of(group, "sol_fraction"), 0.5);
  EXPECT_DOUBLE_EQ(number_of(group, "known_fraction"), 0.5);
  for (const char* key : {"name", "bound", "precision", "median_s", "hbm_bytes", "signature"}) {
    EXPECT_EQ(value(group, key), analysis::Cell()) << key;
  }
}

// A filter keeps one of four launches, with 1/4 of the time.
TEST(KernelColumns, ReadAPartOfARow) {
  const analysis::KernelRow row = gemm();
  analysis::KernelEntry part(row);
  part.totals = analysis::RowTotals::of_part(row, 1, 0.5);
  EXPECT_EQ(value(part, "launches"), analysis::Cell(std::int64_t{1}));
  EXPECT_DOUBLE_EQ(number_of(part, "time_s"), 0.5);
  EXPECT_DOUBLE_EQ(number_of(part, "flop"), 2e12);
  EXPECT_DOUBLE_EQ(number_of(part, "flop_per_s"), 4e12);
  EXPECT_DOUBLE_EQ(number_of(part, "sol_s"), 0.25);
  EXPECT_DOUBLE_EQ(number_of(part, "sol_fraction"), 0.5);
}

// A key has the same title, unit and format in every table.
TEST(KernelColumns, AreDeclaredOnce) {
  ProfileBuilder b;
  b.range(0, 10, "fprop | flop=1e12 hbm=5e9 precision=bf16 class=gemm");
  b.launch(5, kSecond, 3 * kSecond, "product");
  b.launch(35, 6 * kSecond, 7 * kSecond, "unknown");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  std::map<std::string, int> seen = {{"class", 0},     {"bound", 0},      {"launches", 0},
                                     {"flop", 0},      {"flop_per_s", 0}, {"sol_s", 0},
                                     {"precision", 0}, {"slowdown", 0},   {"known_fraction", 0}};
  for (const analysis::AnalysisSpec& analysis : analysis::analysis_registry().all()) {
    for (const analysis::Table& table : analysis.run(run).tables) {
      for (const analysis::Column& column : table.columns) {
        const auto key = seen.find(column.key);
        if (key == seen.end()) continue;
        ++key->second;
        const analysis::Column head = analysis::kernel_head(column.key);
        const std::string where = table.id + '.' + column.key;
        EXPECT_EQ(column.label, head.label) << where;
        EXPECT_EQ(column.unit, head.unit) << where;
        EXPECT_EQ(column.format, head.format) << where;
      }
    }
  }
  for (const auto& [key, times] : seen) EXPECT_GT(times, 0) << key;
}

}  // namespace
}  // namespace mansard::test
