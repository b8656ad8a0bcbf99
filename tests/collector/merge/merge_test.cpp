// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/merge.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/collector/merge/ranks.h"

namespace mansard::collector {
namespace {

using namespace test;

// Rank 1 is on another host, whose clock is half a minute ahead and drifts; both GPUs have number
// 0.
std::vector<RankScenario> two_hosts() {
  RankScenario a;
  a.pid = 1000;
  RankScenario b;
  b.rank = 1;
  b.pid = 1000;  // a pid used on both hosts
  b.host = "node-1";
  b.clock = {30'000'000'000, 50e-6};
  b.recording_starts_ns = 123'456'789;
  b.uuid = "GPU-1";
  return {b, a};  // not in order
}

std::vector<std::filesystem::path> write(const Scratch& scratch,
                                         const std::vector<RankScenario>& ranks) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    files.push_back(write_rank(scratch / ("r" + std::to_string(i) + ".sqlite"), ranks[i]));
  }
  return files;
}

TEST(Merge, EventsAreOnOneClock) {
  const Scratch scratch;
  const MergedProfile merged = plan_merge(write(scratch, two_hosts()));
  EXPECT_EQ(merged.collectives, 100u);
  EXPECT_EQ(merged.ranks[0].session.rank, 0);
  write_merged(merged, scratch / "all.sqlite");
  const store::Profile p = store::load_profile(scratch / "all.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(p.kernels.size(), 400u);
  EXPECT_EQ(p.nvtx.size(), 200u);
  std::map<std::string, int> of_name;
  for (const store::KernelRecord& k : p.kernels) {
    // True times, within the accuracy of the collective ends.
    const std::int64_t utc = p.session.start_utc_ns + k.end_ns;
    const std::string& name = p.string(k.demangled_name);
    const int step = of_name[name] / (name == kAllReduce ? 2 : 1);
    ++of_name[name];
    const std::int64_t truth = true_end_ns(step) - (name == kAllReduce ? 0 : 30'000'000);
    EXPECT_LT(std::abs(utc - truth), 5000) << name << " " << step;
    EXPECT_GE(k.start_ns, 0);
  }
  EXPECT_EQ(of_name.size(), 3u);
  EXPECT_EQ(of_name[kAllReduce], 200);
}

TEST(Merge, ImportedRanksAreByAnotherTool) {
  const Scratch scratch;
  std::vector<RankScenario> ranks = two_hosts();
  write_merged(plan_merge(write(scratch, ranks)), scratch / "own.sqlite");
  EXPECT_FALSE(store::load_profile(scratch / "own.sqlite").session.by_another_tool());
  const Scratch others;
  ranks[1].imported_from = "/traces/rank1.json";
  write_merged(plan_merge(write(others, ranks)), others / "all.sqlite");
  EXPECT_EQ(store::load_profile(others / "all.sqlite").session.imported_from, "/traces/rank1.json");
  EXPECT_TRUE(store::load_profile(others / "all.sqlite").session.by_another_tool());
}

TEST(Merge, RanksStayDistinct) {
  const Scratch scratch;
  write_merged(plan_merge(write(scratch, two_hosts())), scratch / "all.sqlite");
  const store::Profile p = store::load_profile(scratch / "all.sqlite");
  ASSERT_EQ(p.gpus.size(), 2u);
  EXPECT_NE(p.gpus[0].id, p.gpus[1].id);
  std::map<std::int64_t, std::int32_t> device_of_call;
  std::set<std::int64_t> correlations;
  for (const store::KernelRecord& k : p.kernels) {
    EXPECT_TRUE(correlations.insert(k.correlation_id).second) << "a launch of two kernels";
    const bool of_first = p.string(k.demangled_name) == "gemm_of_rank_0";
    if (p.string(k.demangled_name) != kAllReduce) {
      EXPECT_EQ(p.gpus[static_cast<std::size_t>(k.device_id)].uuid, of_first ? "GPU-0" : "GPU-1");
      device_of_call[k.correlation_id] = k.device_id;
    }
  }
  std::map<std::int64_t, std::set<std::int32_t>> devices_of_thread;
  for (const store::ApiRecord& call : p.api_calls) {
    devices_of_thread[call.global_tid].insert(device_of_call.at(call.correlation_id));
    EXPECT_EQ(p.string(call.name), "cudaLaunchKernel");
  }
  EXPECT_EQ(devices_of_thread.size(), 2u);
  for (const auto& [thread, devices] : devices_of_thread) EXPECT_EQ(devices.size(), 1u);
  // Counters follow their launch.
  ASSERT_EQ(p.counter_readings.size(), 2u);
  for (const store::CounterReading& r : p.counter_readings) {
    EXPECT_EQ(device_of_call.at(r.correlation_id), r.device_id);
    ASSERT_EQ(r.values.size(), 1u);
    EXPECT_EQ(p.string(r.values[0].first), "dram__bytes.sum");
    EXPECT_EQ(p.string(r.demangled_name),
              "gemm_of_rank_" + std::to_string(static_cast<int>(r.values[0].second) - 100));
  }
  // Work follows its range.
  ASSERT_EQ(p.work.size(), 200u);
  for (const store::NvtxRecord& range : p.nvtx) EXPECT_EQ(p.work.at(range.row_id).flop, 1e9);
  store::Database database((scratch / "all.sqlite").string(), store::Database::Access::read_only);
  store::Statement ranks = database.prepare(
      "SELECT r.rank, r.host, r.pid, count(*) FROM MANSARD_RANKS r JOIN CUPTI_ACTIVITY_KIND_KERNEL "
      "k "
      "USING (globalPid) JOIN MPI_RANKS m ON m.rank = r.rank JOIN PROCESSES p USING (globalPid) "
      "WHERE m.globalTid >> 24 = r.globalPid >> 24 GROUP BY 1 ORDER BY 1");
  for (const RankScenario& s : {two_hosts()[1], two_hosts()[0]}) {
    ASSERT_TRUE(ranks.step());
    EXPECT_EQ(ranks.integer(0), s.rank);
    EXPECT_EQ(ranks.text(1), s.host);
    EXPECT_EQ(ranks.integer(2), s.pid);
    EXPECT_EQ(ranks.integer(3), 200);
  }
}

TEST(Merge, GpuStatesAreShiftedWithTheirClocks) {
  const Scratch scratch;
  write_merged(plan_merge(write(scratch, two_hosts())), scratch / "all.sqlite");
  const store::Profile p = store::load_profile(scratch / "all.sqlite");
  ASSERT_EQ(p.device_states.size(), 2u);
  for (const store::DeviceStateSample& s : p.device_states) {
    const std::int64_t utc_ns = p.session.start_utc_ns + s.timestamp_ns;
    EXPECT_LT(std::abs(utc_ns - (kTrueStart_ns + 1'500'000'000)), 5000);
    const bool of_first = s.power_w.value() < 100.5;
    EXPECT_EQ(p.gpus[static_cast<std::size_t>(s.device_id)].uuid, of_first ? "GPU-0" : "GPU-1");
  }
  ASSERT_EQ(p.gpu_metrics.size(), 2u);
  for (const store::GpuMetricSample& s : p.gpu_metrics) {
    const std::int64_t utc_ns = p.session.start_utc_ns + s.end_ns;
    EXPECT_LT(std::abs(utc_ns - (kTrueStart_ns + 1'500'000'000)), 5000);
    ASSERT_EQ(s.values.size(), 1u);
    EXPECT_EQ(p.string(s.values[0].first), "dram__bytes_read.sum");
    const bool of_first = s.values[0].second < 100.5;
    EXPECT_EQ(p.gpus[static_cast<std::size_t>(s.device_id)].uuid, of_first ? "GPU-0" : "GPU-1");
  }
}

TEST(Merge, GpuSharedByTwoRanksIsOne) {
  const Scratch scratch;
  std::vector<RankScenario> ranks = two_hosts();
  for (RankScenario& s : ranks) s.uuid = "GPU-shared";
  ranks[0].device = 3;
  write_merged(plan_merge(write(scratch, ranks)), scratch / "all.sqlite");
  const store::Profile p = store::load_profile(scratch / "all.sqlite");
  ASSERT_EQ(p.gpus.size(), 1u);
  for (const store::KernelRecord& k : p.kernels) EXPECT_EQ(k.device_id, p.gpus[0].id);
}

TEST(Merge, NumericsRecordsReferToTheMarksOfTheirRank) {
  const Scratch scratch;
  std::vector<RankScenario> ranks = two_hosts();
  ranks[0].measured_step = 7;  // rank 1
  ranks[1].measured_step = 9;
  write_merged(plan_merge(write(scratch, ranks)), scratch / "all.sqlite");
  const store::Profile p = store::load_profile(scratch / "all.sqlite");
  ASSERT_EQ(p.tensor_numerics.size(), 2u);
  ASSERT_EQ(p.training_steps.size(), 2u);
  EXPECT_EQ(p.tensor_numerics[0].numerics.layer, "layer of rank 1");
  EXPECT_EQ(p.tensor_numerics[1].numerics.layer, "layer of rank 0");
  std::map<std::int64_t, std::string> texts;
  for (const store::NvtxRecord& n : p.nvtx) texts[n.row_id] = p.text(n);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(texts[p.tensor_numerics[i].event], to_text(p.tensor_numerics[i].numerics));
    EXPECT_EQ(texts[p.training_steps[i].event], to_text(p.training_steps[i].step));
  }
}

TEST(Merge, LeavesOnlyTheResult) {
  const Scratch scratch;
  // From an older profile of this name, whose process was killed.
  for (const char* name : {"all.sqlite", "all.sqlite-wal", "all.sqlite-shm"}) {
    std::ofstream(scratch / name) << "old";
  }
  write_merged(plan_merge(write(scratch, two_hosts())), scratch / "all.sqlite");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.folder())) {
    names.insert(entry.path().filename());
  }
  EXPECT_EQ(names, (std::set<std::string>{"all.sqlite", "r0.sqlite", "r1.sqlite"}));
  EXPECT_EQ(store::load_profile(scratch / "all.sqlite").kernels.size(), 400u);
}

}  // namespace
}  // namespace mansard::collector
