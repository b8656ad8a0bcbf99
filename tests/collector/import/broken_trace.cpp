// SPDX-License-Identifier: Apache-2.0
// Broken traces: readable parts are imported, the rest is counted or reported.
#include <zlib.h>

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"
#include "tests/collector/import/trace_file.h"

namespace mansard::test {
namespace {

// A kernel event with the given start and duration; "" omits one.
std::string kernel_event(const std::string& name, const std::string& ts, const std::string& dur,
                         const std::string& args = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7)" +
         (ts.empty() ? "" : ", \"ts\": " + ts) + (dur.empty() ? "" : ", \"dur\": " + dur) +
         (args.empty() ? "" : ", \"args\": {" + args + "}") + "}";
}

#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "said: " << (message)

TEST(BrokenTrace, TimesOfEveryKind) {
  const TraceFile trace = TraceFile::of_events(kernel_event("float", "1001.250", "9") + "," +
                                               kernel_event("text", "\"1001.500\"", "\"2.125\"") +
                                               "," + kernel_event("whole", "1002", "3") + "," +
                                               kernel_event("exponent", "1.003e3", "0"));
  const store::Profile p = trace.imported();
  ASSERT_EQ(p.kernels.size(), 4u);
  const std::int64_t first = p.kernels[0].start_ns;
  EXPECT_EQ(p.kernels[1].start_ns - first, 250);
  EXPECT_EQ(p.kernels[1].end_ns - p.kernels[1].start_ns, 2125);
  EXPECT_EQ(p.kernels[2].start_ns - first, 750);
  EXPECT_EQ(p.kernels[3].start_ns - first, 1750);
  EXPECT_EQ(p.kernels[3].end_ns, p.kernels[3].start_ns);
}

TEST(BrokenTrace, EventsWithoutATimeAreCounted) {
  const TraceFile trace = TraceFile::of_events(
      kernel_event("good", "10", "1") + "," + kernel_event("a", "", "1") + "," +
      kernel_event("b", "NaN", "1") + "," + kernel_event("c", "1e40", "1") + "," +
      kernel_event("d", "10", "") + "," + kernel_event("e", "10", "inf") + "," +
      kernel_event("f", "10", "null") + "," + kernel_event("g", "10", "-3") + "," +
      kernel_event("h", "\"soon\"", "1") + "," +
      kernel_event("i", "9000000000000000", "9000000000000000"));
  const store::Profile p = trace.imported();
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(trace.result().imported.of("kernels"), 1);
  EXPECT_EQ(trace.result().skipped.of("events without a numeric start"), 4);
  EXPECT_EQ(trace.result().skipped.of("events without a numeric duration"), 3);
  EXPECT_EQ(trace.result().skipped.of("events with a negative duration"), 1);
  EXPECT_EQ(trace.result().skipped.of("events more than 73 years from the first event"), 1);
}

TEST(BrokenTrace, MissingArgs) {
  const TraceFile trace =
      TraceFile::of_events(kernel_event("bare", "10", "1") + "," +
                           kernel_event("half", "20", "1", R"("grid": [8], "block": [])"));
  const store::Profile p = trace.imported();
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].correlation_id, 0);
  EXPECT_EQ(p.kernels[0].stream_id, 7) << "the event's tid";
  EXPECT_EQ(p.kernels[1].grid, (std::array<std::int32_t, 3>{8, 0, 0}));
  ASSERT_EQ(trace.result().notes.size(), 1u);
  EXPECT_SAYS(trace.result().notes[0], "2 kernels have no correlation id");
  EXPECT_TRUE(
      has_note(analysis::analyze_run(p, {test_machine()}), "2 kernels have no correlation id"));
}

TEST(BrokenTrace, OtherPhasesAndCategories) {
  const TraceFile trace = TraceFile::of_events(
      kernel_event("good", "10", "1") +
      R"(, {"ph": "B", "cat": "kernel", "name": "begin", "ts": 1}, {"ph": "C", "name": "counter"},
         {"name": "nothing"}, {"ph": "X", "cat": "quantum_op", "name": "q", "ts": 1, "dur": 1},
         {"ph": "X", "name": "no category", "ts": 1, "dur": 1}, [], 7, "text", null)");
  EXPECT_EQ(trace.imported().kernels.size(), 1u);
  EXPECT_EQ(trace.result().skipped.of("events of phase 'B'"), 1);
  EXPECT_EQ(trace.result().skipped.of("events of phase 'C'"), 1);
  EXPECT_EQ(trace.result().skipped.of("events of phase ''"), 1);
  EXPECT_EQ(trace.result().skipped.of("events of unknown category 'quantum_op'"), 1);
  EXPECT_EQ(trace.result().skipped.of("events of unknown category ''"), 1);
}

TEST(BrokenTrace, RepeatedEventsCountOnce) {
  const std::string once = kernel_event("k", "10", "1", R"("correlation": 5)");
  const TraceFile trace = TraceFile::of_events(
      once + "," + kernel_event("other", "11", "1") + "," + once + "," +
      kernel_event("k", "10", "1",
                   R"("correlation": 6)"));  // another launch, on a clock that is coarse
  EXPECT_EQ(trace.imported().kernels.size(), 3u);
  EXPECT_EQ(trace.result().skipped.of("exact duplicates"), 1);
}

// Events are in any order. An event before the first one in the file keeps its distance to it, even
// if that exceeds the 1 s that a profile starts before its first event.
TEST(BrokenTrace, TimesBeforeTheFirstEvent) {
  const TraceFile trace = TraceFile::of_events(kernel_event("late", "5000000", "1") + "," +
                                               kernel_event("early", "-7.5", "1") + "," +
                                               kernel_event("between", "4999999", "1"));
  const store::Profile p = trace.imported();
  ASSERT_EQ(p.kernels.size(), 3u);
  EXPECT_EQ(p.string(p.kernels[0].demangled_name), "early");
  EXPECT_TRUE(store::has_times(p.kernels[0].start_ns, p.kernels[0].end_ns));
  EXPECT_EQ(p.kernels[2].start_ns - p.kernels[0].start_ns, 5'000'007'500);
  EXPECT_EQ(p.session.start_utc_ns + p.kernels[0].start_ns, -7'500);
}

TEST(BrokenTrace, Truncated) {
  const std::string whole = R"({"traceEvents": [)" + kernel_event("a", "10", "1") + "," +
                            kernel_event("b", "20", "1") + "," + kernel_event("c", "30", "1") +
                            "]}";
  for (const std::size_t missing : {std::size_t{3}, std::size_t{20}, std::size_t{40}}) {
    const TraceFile trace(whole.substr(0, whole.size() - missing));
    const store::Profile p = trace.imported();
    EXPECT_EQ(p.kernels.size(), 2u) << missing;
    EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
    ASSERT_GE(trace.result().notes.size(), 1u);
    EXPECT_SAYS(trace.result().notes[0], "The trace is truncated");
    EXPECT_SAYS(trace.result().notes[0], "killed");
    EXPECT_TRUE(has_note(analysis::analyze_run(p, {test_machine()}), "The trace is truncated"));
  }
}

TEST(BrokenTrace, InvalidJsonInTheMiddle) {
  const TraceFile trace(R"({"traceEvents": [)" + kernel_event("a", "10", "1") + ", }{ ]}");
  EXPECT_EQ(trace.imported().kernels.size(), 1u);
  EXPECT_SAYS(trace.result().notes[0], "contains invalid JSON (at character");
  EXPECT_EQ(trace.result().notes[0].find("killed"), std::string::npos);
}

// Each of these used to end the import at its position.
TEST(BrokenTrace, TextsAndNumbersThatParsersReject) {
  const TraceFile trace = TraceFile::of_events(
      kernel_event(R"(D:\utils\train.py)", "10", "1") + "," +
      kernel_event(R"(\ud83d cut)", "20", "1") + "," +
      kernel_event("occupancy", "30", "1", R"("est. achieved occupancy %": -nan(ind))") + "," +
      kernel_event("large", "40", "1", R"("blocks per SM": 1e999, "correlation": 9)") + "," +
      kernel_event("last", "50", "1"));
  const store::Profile p = trace.imported();
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  ASSERT_EQ(p.kernels.size(), 5u);
  EXPECT_EQ(p.string(p.kernels[0].demangled_name), "D:/utils\train.py");
  EXPECT_EQ(p.string(p.kernels[1].demangled_name), "\xef\xbf\xbd cut");
  EXPECT_EQ(p.kernels[3].correlation_id, 9);
}

TEST(BrokenTrace, ThreadsWithoutNumbers) {
  const auto call = [](const std::string& tid, int correlation) {
    return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": )" +
           tid + R"(, "ts": 1, "dur": 1, "args": {"correlation": )" + std::to_string(correlation) +
           "}}";
  };
  const store::Profile p =
      TraceFile::of_events(call("139872345678912", 1) + "," + call("\"loader\"", 2) + "," +
                           call("-4", 3) + "," + call("\"loader\"", 4))
          .imported();
  ASSERT_EQ(p.api_calls.size(), 4u);
  std::map<std::int64_t, std::int64_t> tid_of;
  for (const store::ApiRecord& c : p.api_calls) tid_of[c.correlation_id] = c.global_tid;
  EXPECT_EQ(tid_of[2], tid_of[4]);
  EXPECT_EQ((std::set<std::int64_t>{tid_of[1], tid_of[2], tid_of[3]}).size(), 3u);
  for (const auto& [id, tid] : tid_of) EXPECT_EQ(tid >> 24, 9) << "all of one process";
}

TEST(BrokenTrace, SeveralProcessesAreReported) {
  const TraceFile trace = TraceFile::of_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 9, "tid": 9, "ts": 1, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 10, "tid": 9, "ts": 1, "dur": 1})");
  trace.imported();
  ASSERT_EQ(trace.result().notes.size(), 1u);
  EXPECT_SAYS(trace.result().notes[0], "events of 2 processes");
}

TEST(BrokenTrace, FilesThatAreNotTraces) {
  EXPECT_SAYS(TraceFile("{\"devices\": []}").error(), "has no \"traceEvents\"");
  EXPECT_SAYS(TraceFile("hello").error(), "is not JSON");
  EXPECT_SAYS(TraceFile("").error(), "is not JSON");
  const TraceFile none = TraceFile::of_events("");
  EXPECT_SAYS(none.error(), "has no events");
  EXPECT_SAYS(none.error(), "trace.json");
  EXPECT_FALSE(std::filesystem::exists(none.output())) << "nothing is left behind";
}

TEST(BrokenTrace, FailedImportKeepsTheExistingFile) {
  const TraceFile trace = TraceFile::of_events("");
  std::ofstream(trace.output()) << "earlier";
  EXPECT_NE(trace.error(), "no error");
  EXPECT_EQ(std::filesystem::file_size(trace.output()), 7u);
}

std::string packed(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream zip{};
  deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  zip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zip.avail_in = static_cast<uInt>(text.size());
  zip.next_out = reinterpret_cast<Bytef*>(out.data());
  zip.avail_out = static_cast<uInt>(out.size());
  deflate(&zip, Z_FINISH);
  out.resize(zip.total_out);
  deflateEnd(&zip);
  return out;
}

// 20,000 kernels: more than fit into a buffer.
std::string long_trace() {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 20000; ++i) {
    text += (i > 0 ? "," : "") + kernel_event("k", std::to_string(i) + ".5", "0.25");
  }
  return text + "]}";
}

TEST(PackedTrace, IsReadLikeAPlainOne) {
  const store::Profile p = TraceFile(packed(long_trace()), "trace.json.gz").imported();
  ASSERT_EQ(p.kernels.size(), 20000u);
  EXPECT_EQ(p.kernels.back().start_ns - p.kernels.front().start_ns, 19'999'000);
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
}

TEST(PackedTrace, SeveralGzipMembers) {
  const std::string text = long_trace();
  const store::Profile p =
      TraceFile(packed(text.substr(0, 70'000)) + packed(text.substr(70'000))).imported();
  EXPECT_EQ(p.kernels.size(), 20000u);
}

TEST(PackedTrace, Truncated) {
  const std::string whole = packed(long_trace());
  const TraceFile trace(whole.substr(0, whole.size() / 2));
  const store::Profile p = trace.imported();
  EXPECT_GT(p.kernels.size(), 1000u);
  EXPECT_LT(p.kernels.size(), 20000u);
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  EXPECT_SAYS(trace.result().notes[0], "cannot be read to its end (the gzip file is truncated");
}

TEST(PackedTrace, Damaged) {
  std::string bytes = packed(long_trace());
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) bytes[i] = '\xff';
  const TraceFile trace(bytes);
  EXPECT_EQ(trace.imported().session.state, store::RecordingState::interrupted);
  EXPECT_SAYS(TraceFile("\x1f\x8b and no more sense").error(), "gzip file is damaged");
}

}  // namespace
}  // namespace mansard::test
