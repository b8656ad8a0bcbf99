// SPDX-License-Identifier: Apache-2.0
// The metric sets on every chip that CUPTI knows, without any of them.
#include "collector/cupti/counters/metric_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "collector/cupti/counters/metric_sets.h"
#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"
#include "kernels/vocabulary/memory_level.h"

namespace mansard::collector {
namespace {

const ProfilerHostApi& api() {
  static const ProfilerHostApi loaded = load_profiler_host();
  return loaded;
}

MetricPlan plan(const std::string& chip, std::string_view set_name) {
  const MetricSet set = metric_set(set_name, compute_capability_of_chip(chip).value_or(0));
  return plan_metrics(ProfilerHost(api(), chip), set.metrics, set.passes);
}

std::set<std::string> all_metrics(const MetricPlan& plan) {
  std::set<std::string> all;
  for (const MetricGroup& group : plan.groups) {
    all.insert(group.metrics.begin(), group.metrics.end());
  }
  return all;
}

// A machine may have CUPTI's headers without its libraries (libcupti, libnvperf_host).
std::string why_no_host() {
  try {
    return known_chips(api()).empty() ? "CUPTI knows no chip" : "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class Plan : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_host(); !why.empty()) GTEST_SKIP() << why;
  }
};

class Chip : public Plan, public testing::WithParamInterface<const char*> {};

TEST_P(Chip, HasItsTiersAndPrecisions) {
  const std::string chip = GetParam();
  const auto capability = compute_capability_of_chip(chip);
  ASSERT_TRUE(capability.has_value()) << "a new chip: add its compute capability";
  const MetricPlan p = plan(chip, "roofline");
  const std::set<std::string> have = all_metrics(p);
  // On chips that share their memory with the processor nothing counts it.
  const bool shares_memory = chip.ends_with("0B") || chip == "GV11B";
  for (const MemoryLevel level : {MemoryLevel::hbm, MemoryLevel::l2, MemoryLevel::sm_fill,
                                  MemoryLevel::shared, MemoryLevel::tensor_memory}) {
    if (shares_memory && level == MemoryLevel::hbm) continue;
    for (const CounterTerm& term : counter_terms(counter_expression(level, *capability))) {
      EXPECT_TRUE(have.contains(std::string(term.metric))) << chip << " " << term.metric;
    }
  }
  std::set<Precision> precisions;
  for (const FlopCounter& counter : kFlopCounters) {
    if (have.contains(std::string(counter.metric))) precisions.insert(counter.precision);
  }
  std::set<Precision> expected = {Precision::fp64, Precision::fp32, Precision::fp16};
  if (*capability >= 80) expected.insert({Precision::bf16, Precision::tf32, Precision::int8});
  if (*capability >= 89) expected.insert(Precision::fp8_e4m3);
  if (*capability >= 100) expected.insert(Precision::nvfp4);
  for (const Precision precision : expected) {
    EXPECT_TRUE(precisions.contains(precision)) << chip << " " << info(precision).key;
  }
}

// Counts in ranges, where a kernel never runs twice; instructions by replay, in one pass.
TEST_P(Chip, ReadsARooflineInAFewRangesAndOneReplay) {
  for (const char* set : {"auto", "roofline"}) {
    const MetricPlan p = plan(GetParam(), set);
    std::map<std::string, int> times;
    std::size_t launches = 0;
    for (const MetricGroup& group : p.groups) {
      ASSERT_FALSE(group.metrics.empty());
      for (const std::string& metric : group.metrics) {
        ++times[metric];
        const bool instructions = metric.find("_sass_") != std::string::npos;
        EXPECT_EQ(group.reading, instructions ? GroupReading::replay : GroupReading::ranges)
            << metric;
        EXPECT_EQ(metric.find("pct_of_peak"), std::string::npos)
            << metric << ": a range is longer than its kernel";
      }
      ASSERT_GT(group.config.size(), 0u);
      launches += group.passes;
    }
    for (const auto& [metric, n] : times) EXPECT_EQ(n, 1) << metric;
    EXPECT_FALSE(times.contains(std::string(kDurationMetric)));
    EXPECT_LE(launches, 16u);
    EXPECT_LE(p.groups.size(), set == std::string("auto") ? 2u : 3u);
  }
}

TEST_P(Chip, FullSetIsOneReplayedGroupOrFew) {
  const MetricPlan p = plan(GetParam(), "full");
  std::size_t passes = 0;
  for (const MetricGroup& group : p.groups) passes += group.passes;
  EXPECT_GE(passes, 2u);
  EXPECT_LE(passes, 40u);
  const std::set<std::string> have = all_metrics(p);
  for (const std::string& metric : all_metrics(plan(GetParam(), "roofline"))) {
    EXPECT_TRUE(have.contains(metric)) << metric;
  }
}

const char* const kChips[] = {
    "GV100", "TU102", "TU104", "TU106", "TU116", "TU117", "GA100", "GA102", "GA103", "GA104",
    "GA106", "GA107", "GA10B", "GH100", "AD102", "AD103", "AD104", "AD106", "AD107", "GB100",
    "GB102", "GB110", "GB10B", "GB202", "GB203", "GB205", "GB206", "GB207", "GB20B"};

INSTANTIATE_TEST_SUITE_P(All, Chip, testing::ValuesIn(kChips),
                         [](const auto& chip) { return std::string(chip.param); });

TEST_F(Plan, IsTestedOnEveryChipThatCuptiSupports) {
  std::set<std::string> known;
  for (const std::string& chip : known_chips(api())) {
    try {
      known.insert(ProfilerHost(api(), chip).chip());
    } catch (const std::runtime_error&) {
      // By name only (GV11B).
    }
  }
  for (const std::string& chip : known) {
    EXPECT_NE(std::find(std::begin(kChips), std::end(kChips), chip), std::end(kChips)) << chip;
  }
}

// As docs/collector.md has them; another CUPTI may know better.
TEST_F(Plan, PassesOnTrainingChips) {
  if (CUPTI_API_VERSION / 100 != 1300) GTEST_SKIP() << "counted with CUPTI 13.0";
  const auto passes = [](const std::string& chip, std::string_view set) {
    std::vector<std::size_t> all;
    for (const MetricGroup& group : plan(chip, set).groups) all.push_back(group.passes);
    return all;
  };
  using Passes = std::vector<std::size_t>;
  EXPECT_EQ(passes("GA100", "auto"), (Passes{6, 1}));
  EXPECT_EQ(passes("AD102", "auto"), (Passes{7, 1}));
  EXPECT_EQ(passes("GH100", "auto"), (Passes{6, 1}));
  EXPECT_EQ(passes("GB100", "auto"), (Passes{7, 1}));
  EXPECT_EQ(passes("GB202", "auto"), (Passes{10, 1}));
  EXPECT_EQ(passes("GH100", "roofline"), (Passes{6, 1, 1})) << "and one for the links";
  EXPECT_EQ(passes("GH100", "full"), (Passes{19, 1}));
}

TEST_F(Plan, ListsUnavailableMetrics) {
  const MetricPlan p = plan("GH100", "roofline");
  EXPECT_NE(std::find(p.unavailable.begin(), p.unavailable.end(),
                      "sm__ops_path_tensor_src_fp4_dst_fp32.sum"),
            p.unavailable.end());
  EXPECT_THROW(plan("GH100", "sm__ops_path_tensor_src_fp4_dst_fp32.sum,nothing__at.all").groups,
               std::runtime_error)
      << "only the duration is left";
  EXPECT_THROW(ProfilerHost(api(), "GX999"), std::runtime_error);
}

TEST(MetricSets, OwnMetrics) {
  const MetricSet set = metric_set("dram__bytes.sum,sm__warps_active.avg,dram__bytes.sum", 90);
  EXPECT_EQ(set.metrics, (std::vector<std::string>{"gpu__time_duration.sum", "dram__bytes.sum",
                                                   "sm__warps_active.avg"}));
  for (const char* bad : {"", "rooflines", "dram__bytes", "dram__bytes.sum,,", "a b__c.sum"}) {
    EXPECT_THROW(metric_set(bad, 90), std::invalid_argument) << bad;
  }
}

TEST(CounterTerms, OfAnExpression) {
  const auto terms = counter_terms("a__b.sum + 128 * c__d.sum");
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].factor, 1);
  EXPECT_EQ(terms[0].metric, "a__b.sum");
  EXPECT_EQ(terms[1].factor, 128);
  EXPECT_EQ(terms[1].metric, "c__d.sum");
  EXPECT_TRUE(counter_terms("").empty());
}

}  // namespace
}  // namespace mansard::collector
