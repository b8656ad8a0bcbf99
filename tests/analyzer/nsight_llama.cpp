// SPDX-License-Identifier: Apache-2.0
// Real exports of Nsight Systems 2025.3.2 (examples/nsight): compares the analysis with plain SQL
// on the same file.
#include <gtest/gtest.h>

#include "analyzer/compare/compare_runs.h"
#include "analyzer/range_kinds.h"
#include "analyzer/steps/step_ranges.h"
#include "collector/store/sqlite.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

std::filesystem::path example(const std::string& precision) {
  return std::filesystem::path(MANSARD_TEST_FIXTURES) / "../../examples/nsight" /
         ("llama_" + precision + ".sqlite");
}

class NsightLlama : public testing::TestWithParam<const char*> {
 protected:
  // The single number that a query returns.
  double sql(const std::string& query) {
    store::Statement row = database_.prepare(query);
    EXPECT_TRUE(row.step()) << query;
    return row.real(0);
  }
  double count(const std::string& table) { return sql("SELECT count(*) FROM " + table); }

  store::Database database_{example(GetParam()).string(), store::Database::Access::read_only};
  store::Profile profile_ = store::load_profile(example(GetParam()));
};

// Kernels with their launch call and the range open at that time on any thread: a separate thread
// launches the backward pass while the range of the step is open on another.
const std::string kLaunchedIn =
    " FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) "
    "JOIN NVTX_EVENTS n ON r.start >= n.start AND r.start < n.end ";

TEST_P(NsightLlama, EveryRowIsRead) {
  const store::Profile& p = profile_;
  EXPECT_EQ(p.session.state, store::RecordingState::foreign);
  EXPECT_EQ(p.kernels.size(), count("CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_EQ(p.memcpys.size(), count("CUPTI_ACTIVITY_KIND_MEMCPY"));
  EXPECT_EQ(p.memsets.size(), count("CUPTI_ACTIVITY_KIND_MEMSET"));
  EXPECT_EQ(p.api_calls.size(), count("CUPTI_ACTIVITY_KIND_RUNTIME"));
  EXPECT_EQ(p.nvtx.size(), count("NVTX_EVENTS"));
  EXPECT_EQ(p.synchronizations.size(), count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"));
  EXPECT_EQ(p.streams.size(), count("TARGET_INFO_CUDA_STREAM"));
  EXPECT_EQ(p.contexts.size(), count("TARGET_INFO_CUDA_CONTEXT_INFO"));
  EXPECT_EQ(p.diagnostics.size(), count("DIAGNOSTIC_EVENT"));
  EXPECT_TRUE(p.correlations_unique);
  std::int64_t kernel_ns = 0;
  std::int64_t shared_bytes = 0;
  for (const store::KernelRecord& k : p.kernels) {
    kernel_ns += k.end_ns - k.start_ns;
    shared_bytes += k.static_shared_bytes + k.dynamic_shared_bytes;
    EXPECT_FALSE(p.string(k.demangled_name).empty());
  }
  EXPECT_EQ(kernel_ns, sql("SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_EQ(shared_bytes, sql("SELECT sum(staticSharedMemory + dynamicSharedMemory) FROM "
                              "CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_EQ(p.kernels.front().start_ns, sql("SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL"));
  std::int64_t copied_bytes = 0;
  for (const store::MemcpyRecord& copy : p.memcpys) copied_bytes += copy.bytes;
  EXPECT_EQ(copied_bytes, sql("SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"));
  // Event synchronization has an event id; other records have none, stored as 2^32 - 1.
  for (const store::SynchronizationRecord& s : p.synchronizations) {
    EXPECT_EQ(s.event_id == store::kNoId, s.event_sync_id == 0);
  }
}

TEST_P(NsightLlama, TheMachineAndTheProgram) {
  ASSERT_EQ(profile_.gpus.size(), 1u);
  const store::GpuRecord& gpu = profile_.gpus.front();
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.uuid, "GPU-64bee78b-b3d3-5909-a37a-26e36af71c9e");
  EXPECT_EQ(gpu.sm_count, 132);
  EXPECT_EQ(gpu.clock_rate_hz, 1'980'000'000);
  EXPECT_EQ(gpu.memory_bandwidth_bytes_per_s, 4'814'304'000'000);
  EXPECT_EQ(gpu.compute_major, 9);
  EXPECT_EQ(gpu.id, profile_.kernels.front().device_id);
  const store::SessionInfo& session = profile_.session;
  EXPECT_EQ(session.command, "python3 examples/pytorch/train_llama.py --precision " +
                                 std::string(GetParam()) +
                                 " --layers 2 --hidden 512 --sequence 512 --vocabulary 2048 "
                                 "--steps 4 --warmup 1");
  EXPECT_EQ(session.pid, sql("SELECT pid FROM TARGET_INFO_CUDA_DEVICE"));
  EXPECT_EQ(session.driver_version, "580.159.04");
  EXPECT_EQ(session.cpu_name, "Intel(R) Xeon(R) Processor");
  EXPECT_EQ(session.start_utc_ns, sql("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME"));
  const analysis::RunAnalysis run = analysis::analyze_run(profile_, {});
  ASSERT_TRUE(run.machine) << "the published figures";
  EXPECT_NE(run.machine->device.name.find("H200"), std::string::npos);
}

TEST_P(NsightLlama, StepsAndRanges) {
  const analysis::StepRanges steps = analysis::find_step_ranges(profile_);
  EXPECT_EQ(steps.kind, "step #");
  ASSERT_EQ(steps.ranges.size(), 5u);  // 1 + 4
  for (std::size_t i = 0; i < steps.ranges.size(); ++i) {
    const std::string name = "step " + std::to_string(i);
    EXPECT_EQ(steps.ranges[i].name, name);
    EXPECT_EQ(steps.ranges[i].end_ns,
              sql("SELECT end FROM NVTX_EVENTS WHERE text = '" + name + "'"));
  }
  const analysis::RunAnalysis run = analysis::analyze_run(profile_, {});
  const std::vector<analysis::RangeKind> kinds = analysis::range_kinds(run).kinds;
  for (const std::string name : {"qkv fprop", "down dgrad", "head wgrad", "optimizer", "step #"}) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const analysis::RangeKind& k) { return k.name == name; });
    ASSERT_NE(kind, kinds.end()) << name;
    const std::string pattern = name == "step #" ? "step %" : name + "%";
    const std::string where = kLaunchedIn + "WHERE n.text LIKE '" + pattern + "'";
    EXPECT_EQ(kind->ranges,
              sql("SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE '" + pattern + "'"));
    EXPECT_EQ(kind->kernels, sql("SELECT count(*)" + where)) << name;
    EXPECT_NEAR(kind->time_s, 1e-9 * sql("SELECT sum(k.end - k.start)" + where), 1e-12) << name;
  }
}

// "qkv fprop | flop=805306368 hbm=... precision=bf16 class=gemm shape=512x1536x512"
TEST_P(NsightLlama, WorkOfAnnotatedRanges) {
  const analysis::RunAnalysis run = analysis::analyze_run(profile_, {});
  double flop = 0;
  std::int64_t products = 0;
  for (const analysis::KernelRow& row : run.rows) {
    flop += row.work.total_flop();
    if (row.operation_class != "gemm") continue;
    products += row.launches;
    EXPECT_EQ(row.origin, analysis::WorkOrigin::annotated) << row.name;
  }
  EXPECT_DOUBLE_EQ(flop, sql("SELECT sum(CAST(substr(text, instr(text, 'flop=') + 5) AS REAL)) "
                             "FROM NVTX_EVENTS WHERE text LIKE '%flop=%'"));
  // 2 x 512 x 512 x N x K for three passes of five steps: two layers of qkv, attention out, gate
  // and up, down, and the head.
  const double weights = 2 * (512. * 1536 + 512. * 512 + 512. * 3072 + 1536. * 512) + 512. * 2048;
  EXPECT_DOUBLE_EQ(flop, 5 * 3 * 2 * 512 * weights);
  EXPECT_EQ(products, sql("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON "
                          "s.id = k.demangledName WHERE s.value LIKE 'nvjet%'"));
  std::int64_t attention = 0;
  for (const analysis::KernelRow& row : run.rows) {
    if (row.name.find("sdpa") != std::string::npos) attention += row.launches;
  }
  EXPECT_EQ(attention, 20);  // 2 layers, 2 passes, 5 steps
}

INSTANTIATE_TEST_SUITE_P(Examples, NsightLlama, testing::Values("bf16", "fp8"),
                         [](const auto& precision) { return std::string(precision.param); });

TEST(NsightLlamaRuns, ComparedByStep) {
  const analysis::RunAnalysis a = analysis::analyze_run(store::load_profile(example("bf16")), {});
  const analysis::RunAnalysis b = analysis::analyze_run(store::load_profile(example("fp8")), {});
  const analysis::RunComparison c = analysis::compare_runs(a, b);
  EXPECT_EQ(c.unit, "step");
  // Per typical step; at least three of five steps are typical.
  const auto by_sql = [](const analysis::RunAnalysis& run, const char* precision,
                         const std::string& what) {
    const analysis::DeviceSteps& device = analysis::step_times(run).front();
    std::string names;
    for (const std::size_t step : device.typical) {
      names += (names.empty() ? "'" : ", '") + device.steps[step].name + "'";
    }
    store::Database database(example(precision).string(), store::Database::Access::read_only);
    store::Statement row =
        database.prepare("SELECT " + what + kLaunchedIn + "WHERE n.text IN (" + names + ")");
    row.step();
    return row.real(0) / static_cast<double>(device.typical.size());
  };
  EXPECT_GE(c.units_a, 3);
  EXPECT_GE(c.units_b, 3);
  analysis::ComparedValue time_s;
  analysis::ComparedValue launches;
  for (const analysis::KernelComparison& k : c.kernels) {
    if (k.operation_class == analysis::kMemcpyClass || k.operation_class == analysis::kMemsetClass)
      continue;
    time_s.a += k.time_s.a;
    time_s.b += k.time_s.b;
    launches.a += k.launches.a;
    launches.b += k.launches.b;
  }
  EXPECT_NEAR(time_s.a, 1e-9 * by_sql(a, "bf16", "sum(k.end - k.start)"), 1e-12);
  EXPECT_NEAR(time_s.b, 1e-9 * by_sql(b, "fp8", "sum(k.end - k.start)"), 1e-12);
  EXPECT_NEAR(launches.a, by_sql(a, "bf16", "count(*)"), 1e-9);
  EXPECT_NEAR(launches.b, by_sql(b, "fp8", "count(*)"), 1e-9);
  const auto quantize = std::find_if(
      c.classes.begin(), c.classes.end(),
      [](const analysis::ClassComparison& k) { return k.operation_class == "quantize"; });
  ASSERT_NE(quantize, c.classes.end());
  EXPECT_EQ(quantize->time_s.a, 0);
  EXPECT_GT(quantize->time_s.b, 0);
  // Driver, GPU and GPU type are the same; the commands differ.
  std::string notes;
  for (const std::string& note : c.notes) notes += note + "\n";
  EXPECT_EQ(notes.find("different"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("Drivers"), std::string::npos) << notes;
  EXPECT_NE(notes.find("Commands differ"), std::string::npos) << notes;
}

}  // namespace
}  // namespace mansard::test
