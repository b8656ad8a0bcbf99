// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "analyzer/steps/run_unit.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

// GEMM: 2 s for 1e12 BF16 FLOP and 5e9 B (T_sol = 1 s, compute-bound). Copy: 1 s for 5e9 B (T_sol =
// 0.5 s, HBM). Another kernel with unknown work: 1 s. In sequence, with gaps of 1 s.
analysis::RunAnalysis three_kernels() {
  ProfileBuilder b;
  b.range(0, 10, "fprop | flop=1e12 hbm=5e9 precision=bf16 class=gemm");
  b.launch(5, kSecond, 3 * kSecond, "product");
  b.range(20, 30, "move | hbm=5e9 class=copy");
  b.launch(25, 4 * kSecond, 5 * kSecond, "mover");
  b.launch(35, 6 * kSecond, 7 * kSecond, "unknown");
  return analysis::analyze_run(b.build(), {test_machine()});
}

const analysis::Table& table(const analysis::Finding& finding, std::string_view id) {
  for (const analysis::Table& t : finding.tables) {
    if (t.id == id) return t;
  }
  throw std::runtime_error("no such table");
}

analysis::Finding run(const std::string& name, const analysis::RunAnalysis& analysis) {
  return analysis::analysis_registry().find(name)->run(analysis);
}

TEST(Analyses, RegistryIsSortedByOrder) {
  std::vector<std::string> names;
  for (const analysis::AnalysisSpec& spec : analysis::analysis_registry().all())
    names.push_back(spec.name);
  const std::vector<std::string> expected = {"summary", "classes", "kernels", "roofline"};
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (std::count(expected.begin(), expected.end(), name) > 0) found.push_back(name);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(analysis::analysis_registry().find("no such"), nullptr);
}

TEST(Analyses, RegistryRejectsDuplicateNames) {
  analysis::AnalysisRegistry registry;
  analysis::AnalysisSpec spec;
  spec.name = "x";
  registry.add(spec);
  EXPECT_THROW(registry.add(spec), std::logic_error);
}

TEST(Analyses, EveryTableIsWellFormed) {
  for (const analysis::RunAnalysis& analysis :
       {three_kernels(), analysis::analyze_run(store::Profile{}, {})}) {
    for (const analysis::AnalysisSpec& spec : analysis::analysis_registry().all()) {
      const analysis::Finding finding = spec.run(analysis);
      EXPECT_EQ(finding.id, spec.name);
      EXPECT_FALSE(finding.title.empty()) << spec.name;
      EXPECT_FALSE(finding.summary.empty()) << spec.name;
      for (const analysis::Table& t : finding.tables) {
        std::set<std::string> keys;
        for (const analysis::Column& c : t.columns) {
          EXPECT_TRUE(keys.insert(c.key).second) << t.id << ": " << c.key << " twice";
          EXPECT_EQ(c.format == analysis::CellFormat::quantity, !c.unit.empty()) << c.key;
          EXPECT_FALSE(c.description.empty()) << c.key;
        }
        for (const auto& row : t.rows) {
          ASSERT_EQ(row.size(), t.columns.size()) << t.id;
          for (std::size_t i = 0; i < row.size(); ++i) {
            const bool is_text = t.columns[i].format == analysis::CellFormat::text;
            const bool is_count = t.columns[i].format == analysis::CellFormat::count;
            EXPECT_TRUE(std::holds_alternative<std::monostate>(row[i]) ||
                        std::holds_alternative<std::string>(row[i]) == is_text)
                << t.columns[i].key;
            EXPECT_TRUE(!is_count || !std::holds_alternative<std::string>(row[i]))
                << t.columns[i].key;
          }
        }
      }
    }
  }
}

TEST(Analyses, Summary) {
  // Busy 4 of 6 s. Known work: T = 3 s, T_sol = 1.5 s.
  const analysis::RunAnalysis analyzed = three_kernels();
  const analysis::Finding finding = run("summary", analyzed);
  const analysis::Table& t = table(finding, "run");
  EXPECT_DOUBLE_EQ(number(t, 0, "span_s"), 6.0);
  EXPECT_DOUBLE_EQ(number(t, 0, "busy_s"), 4.0);
  EXPECT_NEAR(number(t, 0, "busy_fraction"), 4.0 / 6, 1e-12);
  EXPECT_EQ(cell(t, 0, "step_s"), analysis::Cell()) << "there are no steps";
  EXPECT_DOUBLE_EQ(number(t, 0, "known_fraction"), 0.75);
  EXPECT_DOUBLE_EQ(number(t, 0, "sol_s"), 1.5);
  EXPECT_DOUBLE_EQ(number(t, 0, "slowdown"), 2.0);
  EXPECT_EQ(text(t, 0, "machine"), "Test GPU");
  // The run takes 6 s: the GEMM 2 s, and the GPU is idle for 2 s.
  const auto shares = analysis::RunUnit(analyzed).shares();
  ASSERT_GE(shares.size(), 2u);
  EXPECT_EQ(shares[0].first, "gemm");
  EXPECT_NEAR(shares[0].second, 1.0 / 3, 1e-12);
  EXPECT_EQ(shares[1].first, "idle");
  EXPECT_NEAR(shares[1].second, 1.0 / 3, 1e-12);

  const analysis::Table& bounds = table(finding, "bounds");
  ASSERT_EQ(bounds.rows.size(), 3u);
  EXPECT_EQ(text(bounds, 0, "bound"), "BF16");
  EXPECT_DOUBLE_EQ(number(bounds, 0, "slowdown"), 2.0);
}

TEST(Analyses, SummaryOfAnEmptyProfile) {
  const analysis::Finding finding = run("summary", analysis::analyze_run(store::Profile{}, {}));
  for (const char* key : {"step_s", "span_s", "busy_s", "busy_fraction", "sol_s", "machine"}) {
    EXPECT_EQ(cell(table(finding, "run"), 0, key), analysis::Cell()) << key;
  }
  EXPECT_TRUE(table(finding, "bounds").rows.empty());
}

TEST(Analyses, Classes) {
  const analysis::Finding finding = run("classes", three_kernels());
  const analysis::Table& t = table(finding, "classes");
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(text(t, 0, "class"), "gemm");
  EXPECT_DOUBLE_EQ(number(t, 0, "share"), 0.5);
  EXPECT_DOUBLE_EQ(number(t, 0, "flop_per_s"), 5e11);
  EXPECT_EQ(text(t, 1, "class"), "copy");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(t, 1, "flop_per_s")));
  EXPECT_DOUBLE_EQ(number(t, 1, "slowdown"), 2.0);
  EXPECT_EQ(text(t, 2, "class"), "other");
  EXPECT_DOUBLE_EQ(number(t, 2, "known_fraction"), 0.0);
}

TEST(Analyses, Kernels) {
  const analysis::Finding finding = run("kernels", three_kernels());
  const analysis::Table& t = table(finding, "kernels");
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(text(t, 0, "name"), "product");
  EXPECT_EQ(text(t, 0, "precision"), "BF16");
  EXPECT_EQ(text(t, 0, "bound"), "BF16");
  EXPECT_DOUBLE_EQ(number(t, 0, "flop"), 1e12);
  EXPECT_DOUBLE_EQ(number(t, 0, "flop_per_s"), 5e11);
  EXPECT_DOUBLE_EQ(number(t, 0, "hbm_bytes"), 5e9);
  EXPECT_DOUBLE_EQ(number(t, 0, "hbm_flop_per_byte"), 200.0);
  EXPECT_DOUBLE_EQ(number(t, 0, "slowdown"), 2.0);
  EXPECT_EQ(text(t, 0, "origin"), "annotated");
  EXPECT_EQ(text(t, 0, "signature"), "product <<<1x1x1, 128x1x1, 0 B>>>");
  EXPECT_EQ(text(t, 2, "origin"), "none");
  for (const char* key : {"flop", "flop_per_s", "hbm_bytes", "bound", "slowdown"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(t, 2, key))) << key;
  }
  // No columns for tiers without bytes in any row.
  EXPECT_THROW(cell(t, 0, "l2_bytes"), std::out_of_range);
}

TEST(Analyses, Roofline) {
  // AI 200 is above the machine balance of 100: the compute ceiling is attainable.
  const analysis::Table compute = table(run("roofline", three_kernels()), "roofline");
  ASSERT_EQ(compute.rows.size(), 1u);
  EXPECT_EQ(text(compute, 0, "tier"), "HBM");
  EXPECT_DOUBLE_EQ(number(compute, 0, "attainable_flop_per_s"), 1e12);
  EXPECT_DOUBLE_EQ(number(compute, 0, "attained_fraction"), 0.5);

  // AI 50: 50 FLOP/B x 1e10 B/s = 5e11 FLOP/s.
  ProfileBuilder b;
  b.range(0, 10, "x | flop=1e12 hbm=2e10 precision=bf16");
  b.launch(5, kSecond, 5 * kSecond, "k");
  const analysis::Table memory =
      table(run("roofline", analysis::analyze_run(b.build(), {test_machine()})), "roofline");
  EXPECT_DOUBLE_EQ(number(memory, 0, "attainable_flop_per_s"), 5e11);
  EXPECT_DOUBLE_EQ(number(memory, 0, "attained_fraction"), 0.5);
}

TEST(Analyses, RooflineDoesNotGuessAMissingCeiling) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=1e12 hbm=2e10 precision=nvfp4");
  b.launch(5, kSecond, 5 * kSecond, "k");
  const analysis::Table t =
      table(run("roofline", analysis::analyze_run(b.build(), {test_machine()})), "roofline");
  EXPECT_DOUBLE_EQ(number(t, 0, "flop_per_s"), 2.5e11);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(t, 0, "attainable_flop_per_s")));
}

}  // namespace
}  // namespace mansard::test
