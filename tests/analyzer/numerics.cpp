// SPDX-License-Identifier: Apache-2.0
// The training record: operands over the steps, groups, the loss curve and its end, advice, and the
// comparison of two runs.
#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "analyzer/compare/loss_gap.h"
#include "analyzer/numerics/numerics_tables.h"
#include "analyzer/numerics/training_curve.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/training_record.h"

namespace mansard::analysis {
namespace {

using test::operand;
using test::recorded_run;
using test::training_record;
using test::TrainingRecord;

Finding numerics_of(const RunAnalysis& run) {
  return analysis_registry().find("numerics")->run(run);
}

const Table* table_of(const Finding& finding, std::string_view id) {
  const auto found = std::ranges::find(finding.tables, id, &Table::id);
  return found == finding.tables.end() ? nullptr : &*found;
}

Cell cell_at(const Table& table, std::size_t row, std::string_view key) {
  const auto column = std::ranges::find(table.columns, key, &Column::key);
  if (column == table.columns.end()) return std::string("no such column");
  return table.rows.at(row).at(static_cast<std::size_t>(column - table.columns.begin()));
}

std::vector<Advice> advice_on(const TrainingRecord& record) {
  const RunAnalysis run = recorded_run(record);
  return advise_on_numerics(run, RunUnit(run));
}

TEST(Numerics, SeriesCombineTheStepsOfAnOperandWorstFirst) {
  TrainingRecord record;
  record.numerics = {operand(0, "a", "x", "fprop", Precision::nvfp4, 10.0),
                     operand(0, "b", "x", "fprop", Precision::nvfp4, std::nullopt),
                     operand(5, "a", "x", "fprop", Precision::nvfp4, 6.0),
                     operand(5, "c", "x", "fprop", Precision::nvfp4, 4.0),
                     operand(9, "a", "x", "fprop", Precision::nvfp4, 20.0)};
  record.numerics[2].underflow = 0.5;
  record.numerics[4].saturated = 0.25;
  const RunAnalysis run = recorded_run(record);
  const std::vector<OperandSeries> all = operand_series(run.profile);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].layer, "c");
  EXPECT_EQ(all[1].layer, "a");
  EXPECT_EQ(all[2].layer, "b");
  EXPECT_EQ(all[2].lowest_snr, std::nullopt);
  EXPECT_EQ(all[1].median_snr_db, 10.0);
  EXPECT_EQ(all[1].lowest_snr, 2u);
  EXPECT_EQ(all[1].most_underflow, 2u);
  EXPECT_EQ(all[1].most_saturated, 4u);
  EXPECT_EQ(all[1].largest_amax, 4.25);  // 2 + 9/4
}

TEST(Numerics, AmaxThatIsNotFiniteIsNotTheLargest) {
  TrainingRecord record;
  record.numerics = {operand(0, "a", "x", "fprop", Precision::nvfp4, 10.0),
                     operand(1, "a", "x", "fprop", Precision::nvfp4, std::nullopt)};
  record.numerics[1].amax = std::nan("");
  const Finding finding = numerics_of(recorded_run(record));
  const Table* tensors = table_of(finding, "tensors");
  ASSERT_NE(tensors, nullptr);
  EXPECT_EQ(cell_at(*tensors, 0, "largest_amax"), Cell(2.0));
  EXPECT_EQ(cell_at(*tensors, 0, "last_amax"), Cell());
}

TEST(Numerics, SharesOfMixedFormatsAreMeans) {
  TrainingRecord record;
  record.numerics = {operand(0, "a", "x", "fprop", std::nullopt, 30.0),
                     operand(1, "a", "x", "fprop", std::nullopt, 30.0)};
  record.numerics[0].shares = {{1, 0, 0}};
  record.numerics[1].shares = {{0.5, 0.25, 0.25}};
  const Finding finding = numerics_of(recorded_run(record));
  const Table* tensors = table_of(finding, "tensors");
  ASSERT_NE(tensors, nullptr);
  EXPECT_EQ(cell_at(*tensors, 0, "e4m3"), Cell(0.75));
  EXPECT_EQ(cell_at(*tensors, 0, "e5m2"), Cell(0.125));
  EXPECT_EQ(cell_at(*tensors, 0, "bf16"), Cell(0.125));
  EXPECT_EQ(cell_at(*tensors, 0, "format"), Cell("several formats"));
}

TEST(Numerics, GroupsHaveTheMedianOverLayersAndTheWorstLayer) {
  // x: 20, 19, 18, 17 dB: median 18.5. dy: 16, 16, 16, 8 dB: median 16.
  const Finding finding = numerics_of(recorded_run(training_record(21)));
  const Table* groups = table_of(finding, "groups");
  ASSERT_NE(groups, nullptr);
  ASSERT_EQ(groups->rows.size(), 2u);
  EXPECT_EQ(cell_at(*groups, 0, "tensor"), Cell("dy"));
  EXPECT_EQ(cell_at(*groups, 0, "snr_db"), Cell(16.0));
  EXPECT_EQ(cell_at(*groups, 0, "worst_layer"), Cell("layers.3.attention.in"));
  EXPECT_EQ(cell_at(*groups, 0, "lowest_snr_db"), Cell(8.0));
  EXPECT_EQ(cell_at(*groups, 1, "snr_db"), Cell(18.5));
  const Table* snr = table_of(finding, "snr");
  ASSERT_NE(snr, nullptr);
  ASSERT_EQ(snr->rows.size(), 6u);  // steps 0, 10 and 20 of two groups
  EXPECT_EQ(cell_at(*snr, 5, "step"), Cell(std::int64_t{20}));
  EXPECT_EQ(cell_at(*snr, 5, "low_db"), Cell(17.0));
  EXPECT_EQ(cell_at(*snr, 5, "high_db"), Cell(20.0));
}

TEST(Numerics, SummaryNamesTheEndAndTheWorstOperand) {
  // 21 steps: the final loss is that of the last one, 10 / 3; validation 0.5 more.
  const std::string text = numerics_of(recorded_run(training_record(21))).summary;
  EXPECT_NE(text.find("After step 20 (21.0 k tokens), the loss is 3.333 nat (of the last step); "
                      "the validation loss is 3.833 nat."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Lowest SNR: dy in wgrad of layers.3.attention.in, 8.00 dB in NVFP4 at step "
                      "0; 12.5 % of its nonzero elements became zero."),
            std::string::npos)
      << text;
}

TEST(Numerics, RunsWithoutRecordHaveNoTables) {
  const RunAnalysis run = analyze_run(test::ProfileBuilder().build(), {test::test_machine()});
  const Finding finding = numerics_of(run);
  EXPECT_TRUE(finding.tables.empty());
  EXPECT_NE(finding.summary.find("no training record"), std::string::npos);
}

TEST(Numerics, UnquantizedRunsHaveNoSnr) {
  TrainingRecord record;
  record.numerics = {operand(0, "a", "x", "fprop", Precision::bf16, std::nullopt)};
  const Finding finding = numerics_of(recorded_run(record));
  EXPECT_EQ(table_of(finding, "groups"), nullptr);
  EXPECT_EQ(table_of(finding, "snr"), nullptr);
  EXPECT_NE(table_of(finding, "tensors"), nullptr);
  EXPECT_NE(finding.summary.find("No recorded tensor has a quantization error."),
            std::string::npos);
}

TEST(Numerics, RanksOfAJobAreOneCurve) {
  TrainingRecord record;
  record.steps = {{0, 100, 4.0, {}, 0, 0}, {0, 100, 6.0, 7.0, 0, 0}, {1, 200, 3.0, {}, 0, 0}};
  const auto curve = training_curve(recorded_run(record).profile);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].loss, 5.0);
  EXPECT_EQ(curve[0].validation_loss, 7.0);
  EXPECT_EQ(curve[1].loss, 3.0);
}

TEST(Numerics, FinalLossIsAMeanOfTheLastSteps) {
  // A twentieth of 40 steps: the mean of 5 and 3.
  std::vector<kernels::TrainingProgress> curve(40, {0, 0, 100.0, {}, 0, 0});
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i].step = static_cast<std::int64_t>(i);
  curve[38].loss = 5;
  curve[39].loss = 3;
  curve[30].validation_loss = 9;
  const auto last = final_loss(curve);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->loss, 4.0);
  EXPECT_EQ(last->steps, 2u);
  EXPECT_EQ(last->validation, 9.0);
  EXPECT_EQ(last->validation_step, 30);
  EXPECT_EQ(final_steps(100'000), 50u);
  EXPECT_FALSE(final_loss({}));
}

TEST(NumericsAdvice, HealthyRunsGetNone) {
  TrainingRecord record = training_record(21);
  for (kernels::TensorNumerics& n : record.numerics) n.snr_db = 16.0;
  EXPECT_TRUE(advice_on(record).empty());
}

TEST(NumericsAdvice, SaturationIsAboutFp8Scales) {
  TrainingRecord record;
  record.numerics = {operand(40, "a", "x", "fprop", Precision::fp8_e4m3, 20.0)};
  record.numerics[0].saturated = 0.03;
  const auto advice = advice_on(record);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].id, "saturated_operands");
  EXPECT_NE(advice[0].text.find("x in fprop of a exceeds the range of its scale in 3.0 % of its "
                                "elements at step 40"),
            std::string::npos)
      << advice[0].text;
  record.numerics[0].format = Precision::nvfp4;  // block scales are rounded
  EXPECT_TRUE(advice_on(record).empty());
  record.numerics[0].format = Precision::fp8_e4m3;
  record.numerics[0].saturated = 1e-4;
  EXPECT_TRUE(advice_on(record).empty());
}

TEST(NumericsAdvice, GradientsThatVanishInE4m3) {
  TrainingRecord record;
  record.numerics = {operand(3, "a", "dy", "dgrad", Precision::fp8_e4m3, 20.0)};
  record.numerics[0].underflow = 0.4;
  const auto advice = advice_on(record);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].id, "gradient_underflow");
  record.numerics[0].tensor = "x";
  EXPECT_TRUE(advice_on(record).empty());
}

TEST(NumericsAdvice, OutlierLayersNeedTheOthersForComparison) {
  // dy of the last layer: 8 dB instead of 16: 10^0.8 = 6.3 times the error power.
  const auto advice = advice_on(training_record(21));
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].id, "outlier_layers");
  EXPECT_NE(advice[0].text.find("The median SNR of dy in wgrad of layers.3.attention.in is 8.00 "
                                "dB, that of the other layers 16.0 dB: its error power is 6.3"),
            std::string::npos)
      << advice[0].text;
  TrainingRecord few = training_record(1);
  std::erase_if(few.numerics, [](const auto& n) { return n.layer == test::layer_name(0); });
  EXPECT_TRUE(advice_on(few).empty());
}

TEST(NumericsAdvice, ReportsTheFirstValueThatIsNotFinite) {
  TrainingRecord record;
  record.numerics = {operand(2, "a", "dy", "wgrad", Precision::nvfp4, std::nullopt)};
  record.numerics[0].amax = std::nan("");
  record.steps = {{0, 10, 4.0, {}, 0, 0}, {3, 40, std::nan(""), {}, 0, 0}};
  const auto advice = advice_on(record);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].id, "not_finite");
  EXPECT_NE(advice[0].text.find("The loss is not finite at step 3. dy in wgrad of a is the first "
                                "recorded operand"),
            std::string::npos)
      << advice[0].text;
}

TEST(LossGap, ComparesTheLastCommonValidationLoss) {
  const RunAnalysis a = recorded_run(training_record(31), "bf16");
  const RunAnalysis b = recorded_run(training_record(21, 0.1), "nvfp4");
  // Step 20: 10 / 3 + 0.5 = 3.8333, and 0.1 more: 2.61 %.
  const auto gap = validation_gap(training_curve(a.profile), training_curve(b.profile));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->step, 20);
  EXPECT_NEAR(gap->difference(), 0.1, 1e-12);
  const auto finding = loss_finding(a, b);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "loss");
  EXPECT_NE(finding->summary.find("The validation loss of B at step 20 is 3.933 nat, that of A "
                                  "3.833 nat: 2.61 % higher. Lowest SNR of B: dy in wgrad"),
            std::string::npos)
      << finding->summary;
  const Table* losses = table_of(*finding, "losses");
  ASSERT_NE(losses, nullptr);
  EXPECT_EQ(losses->rows.size(), 31u);  // the union of both
  EXPECT_EQ(cell_at(*losses, 30, "b_loss_nats"), Cell());
  const Table* tensors = table_of(*finding, "tensors");
  ASSERT_NE(tensors, nullptr);
  EXPECT_EQ(cell_at(*tensors, 0, "lowest_snr_db"), Cell(8.0));
}

TEST(LossGap, UsesTheMeanOfTheLastStepsWithoutValidation) {
  TrainingRecord a;
  TrainingRecord b;
  for (std::int64_t step = 0; step < 40; ++step) {
    a.steps.push_back({step, step, step < 38 ? 9.0 : 4.0, {}, 0, 0});
    b.steps.push_back({step, step, step < 38 ? 9.0 : step == 38 ? 4.0 : 4.2, {}, 0, 0});
  }
  const auto finding = loss_finding(recorded_run(a, "a"), recorded_run(b, "b"));
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->summary.find("The loss of B, mean of the 2 last common steps up to step 39, "
                                  "is 4.100 nat, that of A 4.000 nat: 2.50 % higher."),
            std::string::npos)
      << finding->summary;
}

TEST(LossGap, SaysWhenLossesAreNotComparable) {
  TrainingRecord a = training_record(11);
  TrainingRecord b = training_record(11);
  for (kernels::TrainingProgress& step : b.steps) step.tokens *= 2;
  const auto other_tokens = loss_finding(recorded_run(a), recorded_run(b));
  ASSERT_TRUE(other_tokens);
  EXPECT_NE(other_tokens->summary.find("A trained on 11,000 tokens and B on 22,000"),
            std::string::npos)
      << other_tokens->summary;
  for (kernels::TrainingProgress& step : b.steps) step.step += 1000;
  const auto no_common = loss_finding(recorded_run(a), recorded_run(b));
  ASSERT_TRUE(no_common);
  EXPECT_NE(no_common->summary.find("no common step"), std::string::npos);
  EXPECT_FALSE(loss_finding(recorded_run({}), recorded_run(b)));
}

TEST(PlainNumbers, HaveNoPrefixAndTheDigitsAskedFor) {
  EXPECT_EQ(format_plain(12.345), "12.3");
  EXPECT_EQ(format_plain(9.996), "10.0");
  EXPECT_EQ(format_plain(0.01953), "0.0195");
  EXPECT_EQ(format_plain(-1.5), "-1.50");
  EXPECT_EQ(format_plain(3e-4), "3.00e-4");
  EXPECT_EQ(format_plain(1234567), "1.23e6");
  EXPECT_EQ(format_plain(5.91234, 4), "5.912");
  EXPECT_EQ(format_plain(0), "0");
  const Column column{"gap_nats", "gap", CellFormat::number, "nat", "", true};
  EXPECT_EQ(format_cell(Cell(0.5), column), "+0.500 nat");
  EXPECT_EQ(format_cell(Cell(-0.5), column), "-0.500 nat");
}

}  // namespace
}  // namespace mansard::analysis
