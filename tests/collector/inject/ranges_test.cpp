// SPDX-License-Identifier: Apache-2.0
// Tests which events of a program are stored.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "collector/session/output_pattern.h"
#include "support/process.h"
#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

TEST(Ranges, AllRangesOfEightThreads) {
  const Scratch scratch;
  const Ran ran = run(scratch, "ranges", "8 10000");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, "99980000\n");  // 8 * (0 + 1 + ... + 4999)
  EXPECT_EQ(ran.err, "");
  ASSERT_EQ(ran.result.recorded.size(), 1u);
  EXPECT_EQ(ran.result.recorded[0], scratch / "run.sqlite");

  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(p.session.dropped_events, 0);
  EXPECT_EQ(p.nvtx.size(), 80000u);
  std::map<std::int64_t, int> by_thread;
  for (const store::NvtxRecord& r : p.nvtx) {
    ++by_thread[r.global_tid];
    ASSERT_GE(r.start_ns, 0);
    ASSERT_GE(r.end_ns, r.start_ns);
    ASSERT_EQ(r.type, store::NvtxEventType::push_pop);
  }
  EXPECT_EQ(by_thread.size(), 8u);
  for (const auto& [tid, ranges] : by_thread) {
    EXPECT_EQ(ranges, 10000);
    EXPECT_EQ(tid >> 24, p.session.pid);
  }
}

TEST(Ranges, WorkAnnotationsArrive) {
  const Scratch scratch;
  run(scratch, "ranges", "1 10");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.work.size(), 5u);
  p.work.for_each([](std::int64_t, const kernels::WorkAnnotation& work) {
    EXPECT_EQ(work.name, "fprop");
    EXPECT_DOUBLE_EQ(work.flop, 2e9);
    EXPECT_DOUBLE_EQ(work.bytes.at(MemoryLevel::dram), 3e6);
    EXPECT_EQ(work.precision, Precision::fp32);
  });
}

TEST(Ranges, NestingIsPreserved) {
  const Scratch scratch;
  run(scratch, "ranges", "1 200");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  std::optional<store::NvtxRecord> outer;
  for (const store::NvtxRecord& r : p.nvtx) {
    if (p.text(r) == "step") {
      outer = r;
    } else {
      ASSERT_TRUE(outer);
      EXPECT_LE(outer->start_ns, r.start_ns);
      EXPECT_GE(outer->end_ns, r.end_ns);
    }
  }
}

TEST(Ranges, SessionIsDescribed) {
  const Scratch scratch;
  run(scratch, "ranges", "1 2");
  const store::SessionInfo s = store::load_profile(scratch / "run.sqlite").session;
  EXPECT_NE(s.command.find("collector_program_ranges 1 2"), std::string::npos) << s.command;
  EXPECT_EQ(s.host, collector::host_name());
  EXPECT_GT(s.cpu_cores, 0);
  EXPECT_NE(s.pid, getpid());
  EXPECT_EQ(s.mansard_version, MANSARD_VERSION);
}

#if MANSARD_TEST_NVTX
TEST(NvtxCalls, AllAreRecorded) {
  const Scratch scratch;
  const Ran ran = run(scratch, "nvtx_calls", "");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, "2 2 1 0 -1\n");  // nesting levels, as NVTX defines them
  EXPECT_EQ(ran.err, "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  const auto type_of = [&](const char* text) {
    const auto r = find(p, text);
    return r == nullptr ? -1 : static_cast<int>(r->type);
  };
  for (const char* text :
       {"push a", "push w \u00e9\u20ac\U0001F680", "push ex", "in b", "registered | flop=12"}) {
    EXPECT_EQ(type_of(text), 59) << text;
    EXPECT_GE(find(p, text)->end_ns, find(p, text)->start_ns) << text;
  }
  for (const char* text : {"start a", "start w", "start ex", "domain start"}) {
    EXPECT_EQ(type_of(text), 60) << text;
    EXPECT_GE(find(p, text)->end_ns, find(p, text)->start_ns) << text;
    EXPECT_GT(find(p, text)->range_id, 0) << text;
  }
  for (const char* text : {"mark a", "mark w", "mark ex", "registered w"}) {
    EXPECT_EQ(type_of(text), 34) << text;
    EXPECT_EQ(find(p, text)->end_ns, -1) << text;
  }
  EXPECT_EQ(type_of("category six"), 33);
  EXPECT_EQ(find(p, "category six")->category, 6);
  EXPECT_EQ(find(p, "never ended")->end_ns, -1);

  const store::NvtxRecord rich = *find(p, "push ex");
  EXPECT_EQ(rich.category, 6);
  EXPECT_EQ(rich.color, 0xff123456);
  EXPECT_EQ(rich.payload, store::NvtxPayload(std::int64_t{-42}));
  EXPECT_NE(find(p, "start ex")->end_global_tid, find(p, "start ex")->global_tid);
}

// The text of a range's structured payload.
std::string json_of(const store::Profile& p, const char* text) {
  const auto r = find(p, text);
  const store::NvtxJson* json = r == nullptr ? nullptr : std::get_if<store::NvtxJson>(&r->payload);
  return json == nullptr ? "" : p.string(json->id);
}

TEST(NvtxPayloads, AreStoredAsJson) {
  const Scratch scratch;
  const Ran ran = run(scratch, "nvtx_payloads", "");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(json_of(p, "all-reduce"),
            R"({"NCCL communicator ID":17293822569102704655,"Message size [bytes]":1048576,)"
            R"("Reduction operation":"Sum"})");
  // Passed with the end of the range, which also ends it.
  EXPECT_EQ(json_of(p, "init"),
            R"({"NCCL communicator ID":17293822569102704655,"No. of ranks":8,"Rank":3})");
  for (const char* text : {"init", "step", "all-reduce", "cut", "unknown schema"}) {
    EXPECT_GE(find(p, text)->end_ns, find(p, text)->start_ns) << text;
  }
  EXPECT_LE(find(p, "init")->end_ns, find(p, "step")->start_ns);
  // A payload that is shorter than its schema, and an operation without a name.
  EXPECT_EQ(json_of(p, "cut"),
            R"({"NCCL communicator ID":1,"Message size [bytes]":2,"Reduction operation":99})");
  EXPECT_EQ(json_of(p, "unknown schema"), "");
  // An array, and entries after it at unknown offsets, are skipped.
  EXPECT_EQ(count(p, "message of a payload"), 2u);
  EXPECT_EQ(json_of(p, "message of a payload"),
            R"({"small":-5,"real":0.25,"text":"a\"","last":65535})");
}

// NCCL creates its communicators long before the recorded steps.
TEST(NvtxPayloads, EndPayloadsAreKeptOutsideOfTheWindow) {
  const Scratch scratch;
  collector::RecordingOptions options;
  collector::parse_capture_range("nvtx:step", options);
  const Ran ran = run_shell(scratch, "exec " + program("nvtx_payloads"), "run.sqlite", options);
  EXPECT_EQ(ran.result.exit_code, 0);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_NE(find(p, "init"), nullptr);
  EXPECT_EQ(find(p, "init")->type, store::NvtxEventType::mark);
  EXPECT_EQ(find(p, "init")->end_ns, -1);
  EXPECT_EQ(json_of(p, "init"),
            R"({"NCCL communicator ID":17293822569102704655,"No. of ranks":8,"Rank":3})");
  EXPECT_NE(find(p, "all-reduce"), nullptr);
  EXPECT_EQ(find(p, "message of a payload"), nullptr);
}

TEST(NvtxCalls, DomainsAndRegisteredStrings) {
  const Scratch scratch;
  run(scratch, "nvtx_calls", "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(static_cast<int>(find(p, "domain a")->type), 75);
  const std::int64_t a = find(p, "domain a")->domain_id;
  const std::int64_t b = find(p, "domain b")->domain_id;
  EXPECT_NE(a, b);
  EXPECT_NE(a, 0);
  EXPECT_EQ(count(p, "domain a"), 1u);  // created twice under one name
  EXPECT_EQ(find(p, "push a")->domain_id, 0);
  EXPECT_EQ(find(p, "in b")->domain_id, b);
  const store::NvtxRecord registered = *find(p, "registered | flop=12");
  EXPECT_EQ(registered.domain_id, a);
  EXPECT_NE(registered.text_id, 0);
  EXPECT_DOUBLE_EQ(p.work.at(registered.row_id).flop, 12);
  EXPECT_EQ(find(p, "category of a")->domain_id, a);
  // Popped in the order a, b although pushed in that order too.
  EXPECT_LE(registered.end_ns, find(p, "in b")->end_ns);
}
#endif

}  // namespace
}  // namespace mansard::collector
