// SPDX-License-Identifier: Apache-2.0
// Chrome trace events as read by a viewer.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/text.h"
#include "tests/reports/export_fixture.h"

namespace mansard::test {
namespace {

using nlohmann::json;

// From the digits, since a double would not be exact.
std::int64_t to_ns(const std::string& text, std::size_t at) {
  std::string digits;
  for (; text[at] != ',' && text[at] != '}'; ++at) {
    if (text[at] != '.') digits += text[at];
  }
  return std::stoll(digits);  // three decimals
}

class Chrome : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const analysis::RunAnalysis run = export_run();
    StringSink sink;
    losses_ = reports::export_chrome({.run = run, .names = export_names()}, sink);
    text_ = sink.text;
    trace_ = json::parse(text_);
  }

  std::vector<json> events(const std::string& phase) const {
    std::vector<json> found;
    for (const json& event : trace_["traceEvents"]) {
      if (event["ph"] == phase) found.push_back(event);
    }
    return found;
  }
  json named(const std::string& phase, const std::string& name) const {
    for (const json& event : events(phase)) {
      if (event["name"] == name) return event;
    }
    ADD_FAILURE() << "no " << phase << " event " << name;
    return {};
  }

  static reports::TimelineLosses losses_;
  static std::string text_;
  static json trace_;
};
reports::TimelineLosses Chrome::losses_;
std::string Chrome::text_;
json Chrome::trace_;

TEST_F(Chrome, ReportsTimeZeroAndOmittedRecords) {
  EXPECT_EQ(trace_["otherData"]["firstEventNs"], kStart);
  EXPECT_EQ(trace_["baseTimeNanoseconds"], 1'762'248'093'000'000'000 + kStart);
  EXPECT_EQ(trace_["otherData"]["leftOutWithoutTimes"], 1);
  EXPECT_EQ(losses_.without_times, 1);
  EXPECT_EQ(trace_["distributedInfo"]["rank"], 3);
  EXPECT_EQ(trace_["deviceProperties"][0]["name"], "Test GPU");
}

TEST_F(Chrome, TimesAreExactAndNearZero) {
  const std::string name = "\"name\":\"void gemm<128, true>(float*)\"";
  const std::size_t at = text_.find(name);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(to_ns(text_, text_.find("\"ts\":", at) + 5), 10'003);
  EXPECT_EQ(to_ns(text_, text_.find("\"dur\":", at) + 6), 3'001);
  EXPECT_NE(text_.find("\"ts\":10.003,\"dur\":3.001"), std::string::npos);
}

TEST_F(Chrome, KernelsHaveTheirLaunchAndTheirWork) {
  const json gemm = named("X", "void gemm<128, true>(float*)");
  EXPECT_EQ(gemm["cat"], "kernel");
  const json& args = gemm["args"];
  EXPECT_EQ(args["grid"], json({132, 2, 3}));
  EXPECT_EQ(args["block"], json({384, 1, 1}));
  EXPECT_EQ(args["registers per thread"], 168);
  EXPECT_EQ(args["shared memory"], 201'024);
  EXPECT_EQ(args["device"], 0);
  EXPECT_EQ(args["stream"], 7);
  EXPECT_EQ(args["class"], "gemm");
  EXPECT_EQ(args["precision"], "BF16");
  EXPECT_EQ(args["flop"], 3e6);
  EXPECT_EQ(args["hbm_bytes"], 2e4);
  // 3e6 FLOP at 1e12 FLOP/s take 3 µs; 2e4 B at 1e10 B/s take 2 µs; the launch overhead is 1 µs.
  EXPECT_DOUBLE_EQ(args["speed_of_light_us"], 3.0);
  EXPECT_EQ(args["bound"], "BF16");
  EXPECT_FALSE(named("X", "node_a")["args"].contains("flop")) << "not known is not zero";
}

TEST_F(Chrome, CopiesFillsCallsAndRanges) {
  const json copy = named("X", "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copy["cat"], "gpu_memcpy");
  EXPECT_EQ(copy["args"]["bytes"], 4096);
  EXPECT_EQ(named("X", "Memset (Device)")["dur"], 0.0);
  EXPECT_EQ(named("X", "cudaMemcpyAsync")["cat"], "cuda_runtime");
  const json step = named("X", "step 0");
  EXPECT_EQ(step["cat"], "user_annotation");
  EXPECT_EQ(step["pid"], 7);
  EXPECT_EQ(step["tid"], 1);
  EXPECT_EQ(named("X", kBeganEarlierText)["args"]["began before recording"], 1);
  EXPECT_EQ(named("B", "stays open")["ts"], 0.07);
  EXPECT_TRUE(events("E").empty());
  ASSERT_EQ(events("i").size(), 1u);
}

// Viewers drop one of two events of a track that overlap without nesting.
TEST_F(Chrome, TracksHaveNoOverlaps) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> tracks;
  for (const json& event : events("X")) {
    const double start = event["ts"];
    tracks[{event["pid"], event["tid"]}].emplace_back(start, start + event["dur"].get<double>());
  }
  EXPECT_GE(tracks.size(), 5u);
  for (const auto& [track, slices] : tracks) {
    for (const auto& [start, end] : slices) {
      for (const auto& [other_start, other_end] : slices) {
        const bool overlap = start < other_start && other_start < end && end < other_end;
        EXPECT_FALSE(overlap) << "on " << track.first << "/" << track.second;
      }
    }
  }
  const json first = named("X", valid_utf8(kernel_names()[0]));
  const json second = named("X", kernel_names()[1]);
  EXPECT_EQ(first["pid"], second["pid"]);
  EXPECT_NE(first["tid"], second["tid"]);
  EXPECT_EQ(second["args"]["stream"], 7) << "the stream is known in spite of the track";
  const json overlapping = named("X", "overlaps");
  EXPECT_NE(overlapping["tid"], 2);
  EXPECT_EQ(overlapping["args"]["host thread"], 2);
}

TEST_F(Chrome, FlowsConnectCallsAndLaunches) {
  std::map<std::int64_t, json> from;
  for (const json& event : events("s")) {
    EXPECT_TRUE(from.emplace(event["id"], event).second) << "an id used twice";
  }
  const std::vector<json> ends = events("f");
  EXPECT_EQ(ends.size(), 6u) << "five kernels and a copy; the fill's call was not recorded";
  EXPECT_EQ(from.size(), ends.size());
  std::multiset<double> graph_starts;
  for (const json& end : ends) {
    ASSERT_TRUE(from.contains(end["id"]));
    const json& start = from[end["id"]];
    EXPECT_EQ(start["pid"], 7);
    EXPECT_EQ(end["bp"], "e");
    EXPECT_LE(start["ts"].get<double>(), end["ts"].get<double>());
    if (start["ts"] == 30.0) graph_starts.insert(end["ts"].get<double>());
  }
  EXPECT_EQ(graph_starts, (std::multiset<double>{40, 41})) << "a graph's nodes have one call";
}

TEST_F(Chrome, NamesOfProcessesThreadsAndStreams) {
  std::map<std::string, std::set<std::string>> names;
  for (const json& event : events("M")) {
    if (event["args"].contains("name")) {
      names[event["name"]].insert(event["args"]["name"].get<std::string>());
    }
  }
  EXPECT_EQ(names["process_name"],
            (std::set<std::string>{"rank 3: python train.py", "GPU 0: Test GPU"}));
  EXPECT_TRUE(names["thread_name"].contains(valid_utf8("main " + fixture::hostile_name())));
  EXPECT_TRUE(names["thread_name"].contains("stream 7"));
  EXPECT_TRUE(names["thread_name"].contains("stream 7, overlapping"));
  EXPECT_TRUE(names["thread_name"].contains("stream 13"));
  for (const json& event : events("X")) {
    const bool on_device = event.contains("args") && event["args"].contains("device");
    EXPECT_EQ(event["pid"] == 7, !on_device) << event;
  }
}

TEST_F(Chrome, CountersStartAtTheirPeriod) {
  std::map<std::string, std::map<double, double>> values;
  for (const json& event : events("C")) {
    for (const auto& [unit, value] : event["args"].items()) {
      values[event["name"].get<std::string>() + "/" + unit][event["ts"].get<double>()] = value;
    }
  }
  using Values = std::map<double, double>;
  EXPECT_EQ(values["SM clock/MHz"], (Values{{30, 1755}}));
  EXPECT_EQ(values["power/W"], (Values{{30, 612.5}}));
  // The period is 10 µs, and a sample covers the period before it.
  EXPECT_EQ(values["tensor pipe/value"], (Values{{10, 12.5}, {20, 99}}));
  EXPECT_EQ(values.size(), 3u) << "what is not known has no counter";
}

TEST_F(Chrome, HostileNamesSurvive) {
  named("X", valid_utf8(kernel_names()[0]));
  named("X", std::string(4000, '<'));
  EXPECT_EQ(events("i")[0]["name"], valid_utf8(fixture::hostile_name()));
  for (const char c : text_) {
    ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << "a control character";
  }
}

TEST(EmptyChrome, IsValidAndEmpty) {
  store::Profile empty;
  empty.file = "empty.sqlite";
  const analysis::RunAnalysis run = analysis::analyze_run(empty, {});
  StringSink sink;
  reports::export_chrome({.run = run}, sink);
  EXPECT_EQ(json::parse(sink.text)["traceEvents"], json::array());
}

}  // namespace
}  // namespace mansard::test
