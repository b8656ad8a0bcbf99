// SPDX-License-Identifier: Apache-2.0
// Messages of collectives and their bandwidths. The comments derive the expected values.
#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "analyzer/launch_work.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)";
constexpr const char* kAllGather = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)";

analysis::CollectiveMessage message(analysis::CollectiveOperation operation, double bytes,
                                    int ranks) {
  analysis::CollectiveMessage m;
  m.operation = operation;
  m.bytes = bytes;
  m.ranks = ranks;
  m.one_host = true;
  return m;
}

void add_gpu(ProfileBuilder& builder) {
  store::GpuRecord& gpu = builder.profile().gpus.emplace_back();
  gpu.id = static_cast<std::int32_t>(builder.profile().gpus.size()) - 1;
  gpu.name = "Test GPU";
}

// A range with a structured payload.
void add_call(ProfileBuilder& builder, std::int64_t start, std::int64_t end,
              const std::string& name, const std::string& json, std::int64_t thread = kMainThread) {
  builder.range(start, end, name, thread);
  builder.profile().nvtx.back().payload = store::NvtxJson{builder.intern(json)};
}

roofline::MachineModel linked_machine() {
  roofline::MachineModel machine = test_machine();
  machine.devices[0].ceilings.push_back(bandwidth_ceiling(MemoryLevel::nvlink, 1e9));
  return machine;
}

// With 4 ranks, 3 of 4 parts cross a link, in an all-reduce twice: 1.5 x 100 and 0.75 x 100.
TEST(Collectives, BusBytesMatchNcclTests) {
  using Op = analysis::CollectiveOperation;
  EXPECT_DOUBLE_EQ(*message(Op::all_reduce, 100, 4).bus_bytes(), 150);
  EXPECT_DOUBLE_EQ(*message(Op::all_gather, 100, 4).bus_bytes(), 75);
  EXPECT_DOUBLE_EQ(*message(Op::reduce_scatter, 100, 4).bus_bytes(), 75);
  EXPECT_DOUBLE_EQ(*message(Op::all_to_all, 100, 4).bus_bytes(), 75);
  EXPECT_DOUBLE_EQ(*message(Op::broadcast, 100, 4).bus_bytes(), 100);
  EXPECT_DOUBLE_EQ(*message(Op::send_receive, 100, 0).bus_bytes(), 100);
  EXPECT_FALSE(message(Op::all_reduce, 100, 0).bus_bytes());
  EXPECT_DOUBLE_EQ(*message(Op::all_reduce, 100, 1).bus_bytes(), 0);
}

// A reduction in the switch halves the link traffic of an all-reduce. Links between hosts have
// another ceiling.
TEST(Collectives, LinkBytesAreALowerBound) {
  analysis::CollectiveMessage m = message(analysis::CollectiveOperation::all_reduce, 100, 4);
  EXPECT_DOUBLE_EQ(*m.link_bytes(), 150);
  m.in_switch = true;
  EXPECT_DOUBLE_EQ(*m.link_bytes(), 75);
  m.one_host = false;
  EXPECT_FALSE(m.link_bytes());
}

TEST(Collectives, ParseNamesOfNcclAndPytorch) {
  using Op = analysis::CollectiveOperation;
  EXPECT_EQ(analysis::parse_collective("ncclAllReduce"), Op::all_reduce);
  EXPECT_EQ(analysis::parse_collective("allreduce_coalesced"), Op::all_reduce);
  EXPECT_EQ(analysis::parse_collective("_allgather_base"), Op::all_gather);
  EXPECT_EQ(analysis::parse_collective("_reduce_scatter_base"), Op::reduce_scatter);
  EXPECT_EQ(analysis::parse_collective("all_to_allv"), Op::all_to_all);
  EXPECT_EQ(analysis::parse_collective("ncclReduce"), Op::reduce);
  EXPECT_EQ(analysis::parse_collective("ncclDevKernel_SendRecv(ncclDevKernelArgs)"),
            Op::send_receive);
  EXPECT_EQ(analysis::parse_collective("send"), Op::send_receive);
  EXPECT_FALSE(analysis::parse_collective("ncclCommInitRankConfig"));
}

// An all-reduce of 1000 B on two GPUs: GPU 0 starts it at 10 us, GPU 1 at 15 us, both end at 20 us.
// Per launch the wait is (5 + 0) / 2 = 2.5 us and the transfer 5 us. S / t = 1000 B / 5 us =
// 200 MB/s; with two ranks the factor is 1. At 1 GB/s it takes 1 us, 0.2 of the transfer.
TEST(Collectives, HaveTheBandwidthOfTheirTransfer) {
  ProfileBuilder builder;
  add_gpu(builder);
  add_call(builder, 0, 10, "ncclCommInitRank", R"({"NCCL communicator ID":7,"No. of ranks":2})");
  const std::string call = R"({"NCCL communicator ID":7,"Message size [bytes]":1000})";
  add_call(builder, 100, 200, "ncclAllReduce", call);
  builder.launch(150, 10'000, 20'000, kAllReduce);
  add_call(builder, 300, 400, "ncclAllReduce", call, kOtherThread);
  builder.launch(350, 15'000, 20'000, kAllReduce, kOtherThread).device_id = 1;
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  const analysis::KernelRow* row = find_row(run, kAllReduce);
  ASSERT_TRUE(row != nullptr && row->message);
  EXPECT_EQ(row->message->operation, analysis::CollectiveOperation::all_reduce);
  EXPECT_EQ(row->origin, analysis::WorkOrigin::recorded);
  EXPECT_EQ(row->shape, "all-reduce of 1.00 kB, 2 ranks");
  EXPECT_DOUBLE_EQ(row->work.bytes.at(MemoryLevel::nvlink), 2000);
  const analysis::Finding finding = analysis::analysis_registry().find("collectives")->run(run);
  const analysis::Table& table = finding.tables.at(0);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(number(table, 0, "message_bytes"), 1000);
  EXPECT_EQ(number(table, 0, "ranks"), 2);
  EXPECT_EQ(number(table, 0, "launches"), 2);
  EXPECT_NEAR(number(table, 0, "wait_s"), 2.5e-6, 1e-15);
  EXPECT_NEAR(number(table, 0, "transfer_s"), 5e-6, 1e-15);
  EXPECT_NEAR(number(table, 0, "algorithm_bytes_per_s"), 2e8, 1);
  EXPECT_NEAR(number(table, 0, "bus_bytes_per_s"), 2e8, 1);
  EXPECT_NEAR(number(table, 0, "of_nvlink"), 0.2, 1e-9);
}

// Between two GPUs an all-reduce takes 1 us + bus bytes / 500 MB/s.
roofline::MachineModel measured_machine() {
  roofline::MachineModel machine = linked_machine();
  for (const double bytes : {100.0, 1000.0, 10'000.0, 100'000.0}) {
    const double call_s = 1e-6 + bytes / 5e8;
    machine.devices[0].sweep.push_back(
        {"nccl_all_reduce_2", bytes, bytes / call_s, "B/s", 2, call_s});
  }
  return machine;
}

// A step on two GPUs: 6e5 FLOP in BF16 and an all-reduce of 1000 B, which sends 1000 B: 600 FLOP/B.
// At 1 GB/s the ridge point is 1e12 / 1e9 = 1000 FLOP/B. As measured, a call takes 3 us, at 333
// MB/s: the ridge point is 3000 FLOP/B.
TEST(Collectives, AreATierOfTheStepsRoofline) {
  ProfileBuilder builder;
  add_gpu(builder);
  add_call(builder, 0, 10, "ncclCommInitRank", R"({"NCCL communicator ID":7,"No. of ranks":2})");
  const std::string call = R"({"NCCL communicator ID":7,"Message size [bytes]":1000})";
  add_call(builder, 100, 200, "ncclAllReduce", call);
  builder.launch(150, 10'000, 20'000, kAllReduce);
  builder.range(210, 300, "layer | flop=6e5 precision=bf16");
  builder.launch(250, 20'000, 30'000, "gemm_kernel");
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {measured_machine()});
  const analysis::Finding finding = analysis::analysis_registry().find("roofline")->run(run);
  ASSERT_EQ(finding.tables.size(), 2u);
  const analysis::Table& tiers = finding.tables[1];
  ASSERT_EQ(tiers.rows.size(), 2u);
  for (const std::size_t row : {0u, 1u}) {
    EXPECT_EQ(text(tiers, row, "tier"), "NVLink");
    EXPECT_NEAR(number(tiers, row, "flop_per_byte"), 600, 1e-9);
    EXPECT_NEAR(number(tiers, row, "flop_per_s"), 6e5 / 20e-6, 1);
    EXPECT_EQ(text(tiers, row, "bound"), "NVLink");
  }
  EXPECT_NEAR(number(tiers, 0, "ridge_flop_per_byte"), 1000, 1e-6);
  EXPECT_NEAR(number(tiers, 1, "ridge_flop_per_byte"), 3000, 1e-3);
  EXPECT_NEAR(number(tiers, 1, "attainable_flop_per_s"), 6e5 / 3e-6, 1e3);
  EXPECT_EQ(text(tiers, 1, "roof"), "nccl_all_reduce_2 at its message sizes");

  const analysis::Finding collectives = analysis::analysis_registry().find("collectives")->run(run);
  EXPECT_NEAR(number(collectives.tables.at(0), 0, "nccl_s"), 3e-6, 1e-12);
  EXPECT_NEAR(number(collectives.tables.at(0), 0, "of_nccl"), 0.3, 1e-6);
}

// A call's size is that of one rank's part: 100 B x 4 ranks. The profile of one rank gives neither
// the wait time nor the links between the four GPUs.
TEST(Collectives, OfOneRankHaveNoCeiling) {
  ProfileBuilder builder;
  add_call(builder, 0, 10, "ncclCommSplit", R"({"NCCL communicator ID":7,"No. of ranks":4})");
  add_call(builder, 100, 200, "ncclAllGather",
           R"({"NCCL communicator ID":7,"Message size [bytes]":100})");
  builder.launch(150, 10'000, 20'000, kAllGather);
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  const analysis::KernelRow* row = find_row(run, kAllGather);
  ASSERT_TRUE(row != nullptr && row->message);
  EXPECT_DOUBLE_EQ(row->message->bytes, 400);
  EXPECT_EQ(row->origin, analysis::WorkOrigin::none);
  EXPECT_FALSE(row->slowdown);
  const analysis::Finding finding = analysis::analysis_registry().find("collectives")->run(run);
  const analysis::Table& table = finding.tables.at(0);
  EXPECT_EQ(cell(table, 0, "wait_s"), analysis::Cell());
  EXPECT_EQ(cell(table, 0, "of_nvlink"), analysis::Cell());
  EXPECT_NEAR(number(table, 0, "bus_bytes_per_s"), 0.75 * 400 / 10e-6, 1);
}

// A launch after the call belongs to a group of calls; a kernel with another operation to no call.
TEST(Collectives, OutsideASingleCallHaveNoMessage) {
  ProfileBuilder builder;
  add_call(builder, 0, 10, "ncclCommInitAll", R"({"NCCL communicator ID":7,"No. of ranks":1})");
  const std::string call = R"({"NCCL communicator ID":7,"Message size [bytes]":1000})";
  add_call(builder, 100, 200, "ncclAllReduce", call);
  builder.launch(250, 10'000, 20'000, kAllReduce);
  add_call(builder, 300, 400, "ncclAllReduce", call);
  builder.launch(350, 30'000, 40'000, kAllGather);
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  EXPECT_FALSE(find_row(run, kAllReduce)->message);
  EXPECT_FALSE(find_row(run, kAllGather)->message);
  const analysis::Finding finding = analysis::analysis_registry().find("collectives")->run(run);
  const analysis::Table& table = finding.tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(cell(table, row, "message_bytes"), analysis::Cell()) << row;
    EXPECT_EQ(cell(table, row, "bus_bytes_per_s"), analysis::Cell()) << row;
  }
}

// PyTorch's records: 2 B x max(8, 32) elements. Ranks 0 and 8 are on different hosts of 8 GPUs.
TEST(Collectives, GetRanksFromPytorchsProfiler) {
  ProfileBuilder builder;
  for (int i = 1; i < 8; ++i) add_gpu(builder);
  const auto add = [&](std::int64_t start, const char* kernel, const char* name, const char* ranks,
                       int size) {
    builder.kernel(start, start + 1000, kernel);
    store::CollectiveRecord r;
    r.start_ns = start;
    r.name = name;
    r.in_elements = 8;
    r.out_elements = 32;
    r.element_bytes = 2;
    r.group_size = size;
    r.group_ranks = ranks;
    builder.profile().collectives.push_back(r);
  };
  add(1000, kAllGather, "_allgather_base", "[0, 1, 2, 3]", 4);
  add(3000, kAllReduce, "allreduce", "[0, 8]", 2);
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  const analysis::KernelRow* gather = find_row(run, kAllGather);
  ASSERT_TRUE(gather != nullptr && gather->message);
  EXPECT_DOUBLE_EQ(gather->message->bytes, 64);
  EXPECT_DOUBLE_EQ(gather->work.bytes.at(MemoryLevel::nvlink), 48);
  const analysis::KernelRow* reduce = find_row(run, kAllReduce);
  ASSERT_TRUE(reduce != nullptr && reduce->message);
  EXPECT_FALSE(reduce->message->one_host);
  EXPECT_EQ(reduce->origin, analysis::WorkOrigin::none);
}

// Messages of 512 and 1000 B share a row, whose message is their mean; 1025 B have another row.
TEST(Collectives, ShareARowWithinAFactorOfTwo) {
  ProfileBuilder builder;
  add_gpu(builder);
  add_call(builder, 0, 10, "ncclCommInitRank", R"({"NCCL communicator ID":7,"No. of ranks":2})");
  std::int64_t start = 1000;
  for (const int bytes : {520, 1000, 1025}) {
    add_call(builder, start, start + 100, "ncclAllReduce",
             R"({"NCCL communicator ID":7,"Message size [bytes]":)" + std::to_string(bytes) + "}");
    builder.launch(start + 50, start + 200, start + 300, kAllReduce);
    start += 1000;
  }
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  std::vector<double> means;
  for (const analysis::KernelRow& row : run.rows) means.push_back(row.message->bytes);
  std::sort(means.begin(), means.end());
  EXPECT_EQ(means, (std::vector<double>{760, 1025}));
  // Each launch has its own bytes.
  const analysis::LaunchWork works(run, analysis::kernel_rules());
  EXPECT_DOUBLE_EQ(works.work(0).bytes.at(MemoryLevel::nvlink), 520);
  EXPECT_DOUBLE_EQ(works.work(1).bytes.at(MemoryLevel::nvlink), 1000);
}

// Half of a run of 20 us is an exposed all-reduce, without waiting for other ranks.
TEST(Collectives, ExposedTimeGivesAdvice) {
  ProfileBuilder builder;
  add_gpu(builder);
  add_call(builder, 0, 10, "ncclCommInitRank", R"({"NCCL communicator ID":7,"No. of ranks":2})");
  add_call(builder, 100, 200, "ncclAllReduce",
           R"({"NCCL communicator ID":7,"Message size [bytes]":1000})");
  builder.launch(20, 1000, 11'000, "my_kernel");
  builder.launch(150, 11'000, 21'000, kAllReduce);
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {linked_machine()});
  std::vector<analysis::Advice> found;
  for (analysis::Advice& advice : analysis::all_advice(run, analysis::RunUnit(run))) {
    if (advice.id == "collectives") found.push_back(std::move(advice));
    EXPECT_NE(advice.id, "slow_kernel");
  }
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(*found[0].saving_s, 10e-6, 1e-15);
  EXPECT_NE(found[0].remedy.find("latency-bound"), std::string::npos) << found[0].remedy;
}

}  // namespace
}  // namespace mansard::test
