// SPDX-License-Identifier: Apache-2.0
// Steps and the breakdown of their time. Times are ns; comments derive the expected values.
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "analyzer/steps/step_ranges.h"
#include "analyzer/steps/step_times.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr const char* kNccl = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)";

analysis::DeviceSteps only_device(ProfileBuilder& builder, const std::string& range_name = "") {
  const std::vector<analysis::DeviceSteps> all = analysis::named_step_times(
      analysis::analyze_run(builder.build(), {test_machine()}, {.step_range = range_name}));
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? analysis::DeviceSteps{} : all.front();
}

std::int64_t idle(const analysis::TimeParts& parts, analysis::IdleCause cause) {
  return parts.idle_ns[static_cast<std::size_t>(cause)];
}

std::int64_t sum(const analysis::TimeParts& parts) {
  std::int64_t all = parts.communication_ns + parts.arrival_ns + parts.replica_sync_ns +
                     parts.copy_ns + parts.graph_ns + parts.idle_total_ns();
  for (const auto& [name, ns] : parts.class_ns) all += ns;
  return all;
}

// Kernels run 20-60, 60-90 and, in the next step, 120-180, each launched at least 10 before its
// start. A step starts at the end of the previous one on the device: 0-90 and 90-180.
TEST(Steps, FollowEachOtherOnTheDevice) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(100, 200, "step 1");
  builder.launch(10, 20, 60, "my_kernel");
  builder.launch(30, 60, 90, "my_kernel");
  builder.launch(110, 120, 180, "my_kernel");
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.origin, analysis::StepOrigin::ranges);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].name, "step 0");
  EXPECT_EQ(found.steps[0].start_ns, 0);
  EXPECT_EQ(found.steps[0].end_ns, 90);
  EXPECT_EQ(found.steps[1].end_ns, 180);
  // Idle 0-20: the host launches at 10.
  EXPECT_EQ(idle(found.parts[0], analysis::IdleCause::host_code), 10);
  EXPECT_EQ(idle(found.parts[0], analysis::IdleCause::launching), 10);
  EXPECT_EQ(found.parts[0].class_ns.at("other"), 70);
  // Idle 90-120, launched at 110.
  EXPECT_EQ(idle(found.parts[1], analysis::IdleCause::host_code), 20);
  EXPECT_EQ(idle(found.parts[1], analysis::IdleCause::launching), 10);
}

// PyTorch runs the backward pass on a separate thread, which has no step range.
TEST(Steps, IncludeLaunchesOfOtherThreads) {
  ProfileBuilder builder;
  builder.range(0, 100, "ProfilerStep#1").range(100, 200, "ProfilerStep#2");
  builder.launch(10, 20, 40, "my_kernel");
  builder.launch(50, 60, 95, "my_kernel", kOtherThread);
  builder.launch(110, 120, 150, "my_kernel");
  const analysis::DeviceSteps found = only_device(builder);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].end_ns, 95);
}

TEST(Steps, AreTheOutermostRangesNamedAsSteps) {
  ProfileBuilder builder;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t t = 1000 * i;
    builder.range(t, t + 900, "iteration " + std::to_string(i));
    builder.range(t + 600, t + 850, "Optimizer.step#AdamW.step");
    builder.range(t + 10, t + 300, "forward_step");
    builder.launch(t + 20, t + 30, t + 700, "my_kernel");
  }
  EXPECT_EQ(only_device(builder).how, "ranges named 'iteration #'");
  EXPECT_EQ(only_device(builder, "forward").how, "ranges named 'forward'");
  EXPECT_THROW(only_device(builder, "epoch"), std::invalid_argument);
}

TEST(LaunchTable, FindsTheCallOfALaunch) {
  ProfileBuilder builder;
  const std::int64_t id = builder.launch(5, 100, 200, "k").correlation_id;
  const store::Profile profile = builder.build();
  const analysis::LaunchTable launches(profile);
  ASSERT_EQ(launches.size(), 1u);
  ASSERT_TRUE(launches.call(0));
  EXPECT_EQ(profile.api_calls[*launches.call(0)].start_ns, 5);
  EXPECT_EQ(launches.calls().find(id), launches.call(0));
  EXPECT_EQ(launches.calls().find(id + 1), std::nullopt);  // no call recorded
  EXPECT_EQ(launches.row(0), analysis::kNoRow);            // no rows yet
}

// Computing 0-50, a collective 30-100, a memcpy 90-120: the collective is exposed from 50, the
// memcpy from 100.
TEST(StepTimes, CountOverlappingTimeOnce) {
  ProfileBuilder builder;
  builder.kernel(0, 50, "my_kernel");
  builder.kernel(30, 100, kNccl).stream_id = 7;
  builder.memcpy(90, 120);
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.origin, analysis::StepOrigin::whole);
  const analysis::TimeParts& parts = found.parts.at(0);
  EXPECT_EQ(parts.total_ns, 120);
  EXPECT_EQ(parts.class_ns.at("other"), 50);
  EXPECT_EQ(parts.communication_ns, 50);
  EXPECT_EQ(parts.communicating_ns, 70);
  EXPECT_EQ(parts.copy_ns, 20);
  EXPECT_EQ(parts.idle_total_ns(), 0);
}

// Computing 0-50, a copy to another GPU 30-100.
TEST(StepTimes, CountCopiesBetweenGpusAsCommunication) {
  ProfileBuilder builder;
  builder.kernel(0, 50, "my_kernel");
  builder.memcpy(30, 100).copy_kind = 10;  // ENUM_CUDA_MEMCPY_OPER
  const analysis::TimeParts parts = only_device(builder).parts.at(0);
  EXPECT_EQ(parts.communication_ns, 50);
  EXPECT_EQ(parts.communicating_ns, 70);
  EXPECT_EQ(parts.copy_ns, 0);
}

// The device is idle 50-100, then it copies to another GPU: it waits for that GPU if the copy was
// launched before, and for the host otherwise.
TEST(StepTimes, CountWaitingForACopyToAnotherGpuAsCommunication) {
  for (const bool is_late : {false, true}) {
    ProfileBuilder builder;
    builder.launch(-20, 0, 50, "my_kernel");
    store::MemcpyRecord& copy = builder.memcpy(100, 150);
    copy.copy_kind = 10;  // ENUM_CUDA_MEMCPY_OPER
    builder.call(is_late ? 90 : -10, "cudaMemcpyAsync", copy.correlation_id);
    const analysis::TimeParts parts = only_device(builder).parts.at(0);
    EXPECT_EQ(parts.communication_ns, is_late ? 50 : 100);
    EXPECT_EQ(parts.communicating_ns, is_late ? 50 : 100);
    EXPECT_EQ(parts.idle_total_ns(), is_late ? 50 : 0);
  }
}

// The kernel that adds what other GPUs have sent.
TEST(StepTimes, CountAdditionsOfExchangedPiecesAsCommunication) {
  ProfileBuilder builder;
  builder.launch(-20, 0, 50, "my_kernel");
  builder.launch(-10, 80, 100, "void add_exchanged_pieces_kernel<float4>(float4*)");
  const analysis::TimeParts parts = only_device(builder).parts.at(0);
  EXPECT_EQ(parts.communication_ns, 50);
  EXPECT_EQ(parts.idle_total_ns(), 0);
}

TEST(StepTimes, AssignOverlapToTheKernelThatStartedFirst) {
  ProfileBuilder builder;
  builder.kernel(0, 60, "nvfp4_quantize_kernel");
  builder.kernel(40, 100, "softmax_kernel");
  const analysis::TimeParts parts = only_device(builder).parts.at(0);
  EXPECT_EQ(parts.class_ns.at("quantize"), 60);
  EXPECT_EQ(parts.class_ns.at("softmax"), 40);
}

class IdleTime : public testing::Test {
 protected:
  // The device is idle from 100 to 200; the kernel at 200 is launched at 190.
  IdleTime() {
    builder_.launch(0, 10, 100, "my_kernel");
    builder_.launch(190, 200, 300, "my_kernel");
  }
  void call(std::int64_t start, std::int64_t end, const char* name) {
    builder_.call(start, name, 0);
    builder_.profile().api_calls.back().end_ns = end;
  }
  analysis::TimeParts parts() { return only_device(builder_).parts.at(0); }

  ProfileBuilder builder_;
};

TEST_F(IdleTime, HostCodeUntilTheLaunch) {
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 90);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::launching), 10);
}

// The host synchronizes with the device 20-110 and then has no queued work.
TEST_F(IdleTime, SynchronizationIncludesTheTimeUntilTheNextLaunch) {
  call(20, 110, "cudaStreamSynchronize_v3020");
  EXPECT_EQ(idle(parts(), analysis::IdleCause::synchronization), 90);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 0);
}

// The host ran program code 100-150, then synchronized with an idle device 150-160.
TEST_F(IdleTime, HostCodeBeforeASynchronization) {
  call(150, 160, "cudaStreamSynchronize_v3020");
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 50);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::synchronization), 40);
}

// Data loading 110-140, all of it in an allocation call: no time counts as data loading.
TEST_F(IdleTime, ApiCallsTakePrecedenceOverDataLoading) {
  call(110, 140, "cudaHostAlloc_v3020");
  builder_.range(110, 140, "dataloader next");
  EXPECT_EQ(idle(parts(), analysis::IdleCause::cuda_calls), 30);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::data_loading), 0);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 60);
}

// 110-140 in an allocation, 150-155 in another launch; the rest of 100-190 is host code.
TEST_F(IdleTime, InApiCalls) {
  call(110, 140, "cudaMalloc_v3020");
  call(150, 155, "cudaLaunchKernel_v7000");
  EXPECT_EQ(idle(parts(), analysis::IdleCause::cuda_calls), 30);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::launching), 10 + 5);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 90 - 30 - 5);
}

TEST_F(IdleTime, DataLoadingInItsRange) {
  builder_.range(105, 165, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  EXPECT_EQ(idle(parts(), analysis::IdleCause::data_loading), 60);
  EXPECT_EQ(idle(parts(), analysis::IdleCause::host_code), 30);
}

TEST(IdleTimeOf, QueuedKernelsIsBetweenKernels) {
  ProfileBuilder builder;
  builder.launch(0, 10, 100, "my_kernel");
  builder.launch(5, 102, 200, "my_kernel");
  const analysis::TimeParts parts = only_device(builder).parts.at(0);
  EXPECT_EQ(idle(parts, analysis::IdleCause::between_kernels), 2);
  EXPECT_EQ(parts.idle_total_ns(), 2);
}

TEST(IdleTimeOf, KernelsWithoutCallsIsUnknown) {
  ProfileBuilder builder;
  builder.kernel(10, 100, "my_kernel");
  builder.kernel(150, 200, "my_kernel");
  EXPECT_EQ(idle(only_device(builder).parts.at(0), analysis::IdleCause::unknown), 50);
}

// Twelve equal steps of 800 ns with 50 ns of idle time before each; the sixth has one more b.
TEST(Periods, AreFoundInTheKernelSequence) {
  ProfileBuilder builder;
  std::int64_t t = 0;
  const auto kernel = [&](const char* name) {
    builder.kernel(t, t + 100, name);
    t += 100;
  };
  for (int i = 0; i < 12; ++i) {
    t += 50;
    for (const char* name : {"a", "b", "b", "d", "e", "f", "b", "c"}) kernel(name);
    if (i == 5) kernel("b");
  }
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.origin, analysis::StepOrigin::period);
  ASSERT_EQ(found.steps.size(), 12u);
  EXPECT_EQ(found.steps[0].duration_ns(), 800);  // no idle time before it
  for (std::size_t i = 1; i < 12; ++i) {
    EXPECT_EQ(found.steps[i].duration_ns(), i == 5 ? 950 : 850) << i;
  }
}

// A padded batch has a different length in each step, and so have its kernels.
TEST(Periods, OfKernelsWithDifferentGrids) {
  ProfileBuilder builder;
  std::int64_t t = 0;
  for (int i = 0; i < 12; ++i) {
    t += 50;
    for (const char* name : {"a", "b", "b", "d"}) {
      store::KernelRecord& kernel = builder.kernel(t, t + 100, name);
      kernel.grid = {100 + (i * 7) % 5, 1, 1};
      t += 100;
    }
  }
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.origin, analysis::StepOrigin::period);
  EXPECT_EQ(found.steps.size(), 12u);
}

// Means exclude a step with loading and one with an evaluation.
TEST(StepTimes, ExcludeUntypicalStepsFromMeans) {
  ProfileBuilder builder;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t t = 1000 * i;
    builder.range(t, t + 999, "step " + std::to_string(i));
    builder.launch(t + 1, t + 2, t + (i == 0 ? 400 : 990), "my_kernel");
  }
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.steps.size(), 6u);
  EXPECT_EQ(found.typical, (std::vector<std::size_t>{2, 3, 4, 5}));  // the second waits for 590
  EXPECT_DOUBLE_EQ(found.mean_step_s(), 1000e-9);
}

// Reading counters slows down steps 0 to 2, most of the five.
// Steps of three lengths take turns; each length is compiled when it is first met.
TEST(StepTimes, ExcludeCompilationAmongStepsOfDifferentLengths) {
  ProfileBuilder builder;
  std::int64_t t = 0;
  for (int i = 0; i < 24; ++i) {
    const std::int64_t duration = i == 4 || i == 5 ? 9000 : 1000 + 300 * (i % 3);
    builder.range(t, t + duration - 1, "step " + std::to_string(i));
    builder.launch(t + 1, t + 2, t + duration, "my_kernel");
    t += duration;
  }
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.typical.size(), 20u);  // without the two, and without the first with 1000, 1600
  EXPECT_NEAR(found.mean_step_s(), 1300e-9, 30e-9);
}

TEST(StepTimes, ExcludeStepsWithCounterReadingsFromMeans) {
  ProfileBuilder builder;
  std::int64_t t = 0;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t duration = i < 3 ? 5000 : 1000;
    builder.range(t, t + duration - 1, "step " + std::to_string(i));
    builder.launch(t + 1, t + 2, t + duration, "my_kernel");
    if (i < 3) {
      store::CounterReading reading;
      reading.start_ns = t + 100;
      reading.correlation_id = 1000 + i;
      builder.call(t + 100, "cudaLaunchKernel", reading.correlation_id);
      builder.profile().counter_readings.push_back(reading);
    }
    t += duration;
  }
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.typical, (std::vector<std::size_t>{3, 4}));
  EXPECT_DOUBLE_EQ(found.mean_step_s(), 1000e-9);
}

TEST(StepTimes, AreSeparatePerDevice) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "my_kernel");
  builder.kernel(50, 250, "my_kernel").device_id = 1;
  const auto all = analysis::step_times(analysis::analyze_run(builder.build(), {test_machine()}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].typical_parts.total_ns, 100);
  EXPECT_EQ(all[1].typical_parts.total_ns, 200);
}

// A collective of two ranks: 0-100 on the first device, 60-100 on the second, which starts late.
// The first waits 60; the transfer takes 40. A second one, with a record on one device only, is not
// split.
TEST(StepTimes, SplitWaitingForOtherRanksFromTransfer) {
  ProfileBuilder builder;
  builder.kernel(0, 100, kNccl);
  builder.kernel(60, 100, kNccl).device_id = 1;
  builder.kernel(100, 150, "ncclDevKernel_Broadcast");
  const auto all = analysis::step_times(analysis::analyze_run(builder.build(), {test_machine()}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].typical_parts.arrival_ns, 60);
  EXPECT_EQ(all[0].typical_parts.communication_ns, 40 + 50);
  EXPECT_EQ(all[1].typical_parts.arrival_ns, 0);
  EXPECT_EQ(all[1].typical_parts.communication_ns, 40);
}

// Groups {0, 1} and {2, 3} do the same, the second 400 us later: no rank was late.
TEST(StepTimes, DistinguishGroupsOfRanks) {
  ProfileBuilder builder;
  for (int device = 0; device < 4; ++device) {
    const std::int64_t late = device < 2 ? 0 : 400'000;
    builder.kernel(late, late + 500'000, kNccl).device_id = device;
  }
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {test_machine()});
  for (const analysis::DeviceSteps& device : analysis::step_times(run)) {
    EXPECT_EQ(device.typical_parts.arrival_ns, 0) << device.device_id;
  }
}

// A kernel 0-50, a graph 60-200, a memcpy 150-250.
TEST(StepTimes, CountGraphsRecordedAsAWhole) {
  ProfileBuilder builder;
  builder.kernel(0, 50, "my_kernel");
  builder.memcpy(150, 250);
  store::GraphRecord graph;
  graph.start_ns = 60;
  graph.end_ns = 200;
  graph.device_id = 0;
  builder.profile().graphs.push_back(graph);
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.typical_parts.graph_ns, 140);
  EXPECT_EQ(found.typical_parts.copy_ns, 50);
  EXPECT_EQ(found.typical_parts.idle_total_ns(), 10);
}

// Kernels that do not overlap are not one collective, whatever their names.
TEST(StepTimes, DoNotMatchKernelsThatDoNotOverlap) {
  ProfileBuilder builder;
  builder.kernel(0, 100, kNccl);
  builder.kernel(500, 600, kNccl).device_id = 1;
  const auto all = analysis::step_times(analysis::analyze_run(builder.build(), {test_machine()}));
  EXPECT_EQ(all[0].typical_parts.arrival_ns, 0);
}

// Computing 0-50 on one stream, a memcpy 0-80 on another, then 80-120 a kernel that waited for the
// memcpy. The path consists of that kernel and the memcpy, without the kernel that overlaps it.
TEST(CriticalPaths, GoBackToWhatEndedLast) {
  ProfileBuilder builder;
  builder.kernel(0, 50, "softmax_kernel");
  builder.memcpy(0, 80);
  builder.kernel(80, 120, "nvfp4_quantize_kernel");
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.critical_parts.total_ns, 120);
  EXPECT_EQ(found.critical_parts.copy_ns, 80);
  EXPECT_EQ(found.critical_parts.class_ns.at("quantize"), 40);
  EXPECT_FALSE(found.critical_parts.class_ns.contains("softmax"));
}

// A collective 30-100, overlapped by computing 0-110, is not on the path; the wait 110-130 is due
// to the host.
TEST(CriticalPaths, SkipHiddenActivitiesAndIncludeWaits) {
  ProfileBuilder builder;
  builder.launch(-10, 0, 110, "my_kernel");
  builder.kernel(30, 100, kNccl).stream_id = 7;
  builder.launch(125, 130, 150, "my_kernel");
  const analysis::DeviceSteps found = only_device(builder);
  EXPECT_EQ(found.critical_parts.communication_ns, 0);
  EXPECT_EQ(found.critical_parts.class_ns.at("other"), 130);
  EXPECT_EQ(idle(found.critical_parts, analysis::IdleCause::host_code), 15);
  EXPECT_EQ(idle(found.critical_parts, analysis::IdleCause::launching), 5);
}

// All of the wait for the last rank is on the path of the waiting rank.
TEST(CriticalPaths, IncludeWaitingForOtherRanks) {
  ProfileBuilder builder;
  builder.kernel(0, 1000, kNccl);
  builder.kernel(400, 1000, kNccl).device_id = 1;
  const auto all = analysis::step_times(analysis::analyze_run(builder.build(), {test_machine()}));
  EXPECT_EQ(all[0].critical_parts.arrival_ns, 400);
  EXPECT_EQ(all[0].critical_parts.communication_ns, 600);
}

// Random profiles: the parts add up to the steps, and the rows to the kernel parts.
TEST(StepTimes, NeitherLoseNorInventTime) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    ProfileBuilder builder;
    const int steps = number(0, 5);
    for (int i = 0; i < steps; ++i) {
      builder.range(5000 * i, 5000 * i + number(100, 4999), "step " + std::to_string(i));
    }
    const char* names[] = {"my_kernel", "softmax_kernel", kNccl, "nvfp4_quantize_kernel"};
    for (int i = number(1, 200); i > 0; --i) {
      const std::int64_t start = number(0, 26000);
      const std::int64_t end = start + number(0, 400);
      const std::int64_t thread = number(0, 1) ? kMainThread : kOtherThread;
      switch (number(0, 3)) {
        case 0:
          builder.memcpy(start, end);
          break;
        case 1:
          builder.kernel(start, end, names[number(0, 3)]);
          break;
        default:
          builder.launch(start - number(0, 300), start, end, names[number(0, 3)], thread);
      }
    }
    builder.kernel(26400, 26401, "my_kernel");  // one at least
    const analysis::DeviceSteps found = only_device(builder);
    ASSERT_FALSE(found.steps.empty()) << seed;
    std::int64_t typical_kernels_ns = found.typical_parts.communication_ns +
                                      found.typical_parts.arrival_ns + found.typical_parts.copy_ns;
    for (const auto& [name, ns] : found.typical_parts.class_ns) typical_kernels_ns += ns;
    EXPECT_EQ(sum(found.critical_parts), found.typical_parts.total_ns) << seed;
    std::int64_t rows_ns = 0;
    for (const auto& [row, time] : found.rows) rows_ns += time.owned_ns;
    EXPECT_EQ(rows_ns, typical_kernels_ns) << seed;
    std::int64_t now_ns = found.steps.front().start_ns;
    for (std::size_t i = 0; i < found.parts.size(); ++i) {
      EXPECT_EQ(found.steps[i].start_ns, now_ns) << seed;
      EXPECT_EQ(found.parts[i].total_ns, found.steps[i].duration_ns()) << seed;
      EXPECT_EQ(sum(found.parts[i]), found.parts[i].total_ns) << seed;
      now_ns = found.steps[i].end_ns;
    }
  }
}

}  // namespace
}  // namespace mansard::test
