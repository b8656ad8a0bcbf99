// SPDX-License-Identifier: Apache-2.0
// The Perfetto trace as read by its trace processor: packets sorted by time, begin and end of
// slices on a stack per track. Field numbers are repeated here from the .proto files.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "reports/export/protobuf.h"
#include "support/text.h"
#include "tests/reports/export_fixture.h"
#include "tests/reports/proto_reader.h"

namespace mansard::test {
namespace {

std::string text_of(const ProtoFields& fields, std::uint32_t field) {
  const auto at = fields.find(field);
  return at == fields.end() ? "" : std::string(at->second.front().bytes);
}
std::uint64_t number_of(const ProtoFields& fields, std::uint32_t field) {
  const auto at = fields.find(field);
  return at == fields.end() ? 0 : at->second.front().number;
}

struct Slice {
  std::string name;
  std::string category;
  std::uint64_t track = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  bool ended = false;
  std::size_t depth = 0;
  std::map<std::string, std::string> texts;
  std::map<std::string, double> reals;
  std::map<std::string, std::int64_t> integers;
  std::vector<std::uint64_t> flows, ending_flows;
};

struct TrackOf {
  std::string name;
  std::uint64_t parent = 0;
  std::uint64_t pid = 0, tid = 0;
  bool is_counter = false;
  std::string unit;
};

struct Decoded {
  std::map<std::uint64_t, TrackOf> tracks;
  std::vector<Slice> slices;
  std::vector<Slice> instants;
  std::map<std::string, std::map<std::uint64_t, double>> counters;
  std::map<std::uint64_t, std::uint64_t> clocks;
  std::size_t packets = 0;
};

class Decoder {
 public:
  Decoded decode(std::string_view bytes) {
    const ProtoFields trace = read_message(bytes);
    EXPECT_EQ(trace.size(), 1u) << "a trace has packets only";
    for (const ProtoValue& packet : trace.at(1)) read_packet(packet.bytes);
    // Readers sort stably: packets with equal times keep the order of the file.
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
    for (const Event& event : events_) play(event);
    return std::move(out_);
  }

 private:
  struct Event {
    std::uint64_t time_ns = 0;
    std::uint64_t type = 0;
    Slice slice;
    double counter = 0;
  };

  void read_packet(std::string_view bytes) {
    const ProtoFields packet = read_message(bytes);
    EXPECT_EQ(number_of(packet, 10), 1u) << "trusted_packet_sequence_id";
    // The first packet clears the interned data; all others depend on data interned since.
    EXPECT_EQ(number_of(packet, 13), out_.packets == 0 ? 1u : 2u) << "sequence_flags";
    EXPECT_EQ(number_of(packet, 87), out_.packets == 0 ? 1u : 0u) << "first_packet_on_sequence";
    ++out_.packets;
    if (packet.contains(12)) intern(packet.at(12).front().bytes);
    if (packet.contains(60)) read_track(packet.at(60).front().bytes);
    if (packet.contains(6)) {
      const ProtoFields snapshot = read_message(packet.at(6).front().bytes);
      for (const ProtoValue& clock : snapshot.at(1)) {
        const ProtoFields fields = read_message(clock.bytes);
        out_.clocks[number_of(fields, 1)] = number_of(fields, 2);
      }
    }
    if (packet.contains(11)) read_event(number_of(packet, 8), packet.at(11).front().bytes);
  }

  void intern(std::string_view bytes) {
    for (const auto& [field, entries] : read_message(bytes)) {
      for (const ProtoValue& entry : entries) {
        const ProtoFields fields = read_message(entry.bytes);
        const bool is_new =
            interned_[field].emplace(number_of(fields, 1), text_of(fields, 2)).second;
        EXPECT_TRUE(is_new) << "an interned number given twice";
        EXPECT_NE(number_of(fields, 1), 0u) << "0 cannot number an entry";
      }
    }
  }
  std::string interned(std::uint32_t field, std::uint64_t id) {
    EXPECT_TRUE(interned_[field].contains(id)) << "field " << field << ", number " << id;
    return interned_[field][id];
  }

  void read_track(std::string_view bytes) {
    const ProtoFields fields = read_message(bytes);
    TrackOf track;
    track.name = text_of(fields, 2);
    track.parent = number_of(fields, 5);
    EXPECT_TRUE(track.parent == 0 || out_.tracks.contains(track.parent)) << "parents come first";
    if (fields.contains(3)) {
      const ProtoFields process = read_message(fields.at(3).front().bytes);
      track.pid = number_of(process, 1);
      track.name = text_of(process, 6);
    }
    if (fields.contains(4)) {
      const ProtoFields thread = read_message(fields.at(4).front().bytes);
      track.pid = number_of(thread, 1);
      track.tid = number_of(thread, 2);
      track.name = text_of(thread, 5);
    }
    track.is_counter = fields.contains(8);
    if (track.is_counter) track.unit = text_of(read_message(fields.at(8).front().bytes), 6);
    EXPECT_TRUE(out_.tracks.emplace(number_of(fields, 1), track).second) << "a track twice";
  }

  void read_event(std::uint64_t time_ns, std::string_view bytes) {
    const ProtoFields fields = read_message(bytes);
    Event event;
    event.time_ns = time_ns;
    event.type = number_of(fields, 9);
    event.slice.track = number_of(fields, 11);
    EXPECT_TRUE(out_.tracks.contains(event.slice.track)) << "an event of a track not yet described";
    if (fields.contains(10)) event.slice.name = interned(2, number_of(fields, 10));
    if (fields.contains(3)) event.slice.category = interned(1, number_of(fields, 3));
    if (fields.contains(44)) event.counter = fields.at(44).front().real();
    const auto flows = [&](std::uint32_t field, std::vector<std::uint64_t>& ids) {
      if (!fields.contains(field)) return;
      for (const ProtoValue& flow : fields.at(field)) {
        EXPECT_EQ(flow.wire_type, 1) << "fixed64";
        ids.push_back(flow.number);
      }
    };
    flows(47, event.slice.flows);
    flows(48, event.slice.ending_flows);
    if (fields.contains(4)) {
      for (const ProtoValue& value : fields.at(4)) read_annotation(value.bytes, event.slice);
    }
    events_.push_back(std::move(event));
  }

  void read_annotation(std::string_view bytes, Slice& slice) {
    const ProtoFields fields = read_message(bytes);
    const std::string key = interned(3, number_of(fields, 1));
    if (fields.contains(4)) {
      slice.integers[key] = static_cast<std::int64_t>(number_of(fields, 4));
    } else if (fields.contains(5)) {
      slice.reals[key] = fields.at(5).front().real();
    } else {
      slice.texts[key] = text_of(fields, 6);
    }
  }

  void play(const Event& event) {
    std::vector<std::size_t>& stack = stacks_[event.slice.track];
    if (event.type == 4) {
      out_.counters[out_.tracks[event.slice.track].name][event.time_ns] = event.counter;
    } else if (event.type == 3) {
      out_.instants.push_back(event.slice);
      out_.instants.back().begin_ns = event.time_ns;
    } else if (event.type == 1) {
      Slice slice = event.slice;
      slice.begin_ns = event.time_ns;
      slice.depth = stack.size();
      stack.push_back(out_.slices.size());
      out_.slices.push_back(slice);
    } else {
      ASSERT_EQ(event.type, 2u);
      ASSERT_FALSE(stack.empty()) << "an end without a begin";
      Slice& slice = out_.slices[stack.back()];
      stack.pop_back();
      slice.end_ns = event.time_ns;
      slice.ended = true;
    }
  }

  Decoded out_;
  std::vector<Event> events_;
  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> interned_;
  std::map<std::uint64_t, std::vector<std::size_t>> stacks_;
};

class Perfetto : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const analysis::RunAnalysis run = export_run();
    StringSink sink;
    EXPECT_EQ(reports::export_perfetto({.run = run, .names = export_names()}, sink).without_times,
              1);
    trace_ = Decoder().decode(sink.text);
  }
  const Slice& slice(const std::string& name) const {
    for (const Slice& s : trace_.slices) {
      if (s.name == name) return s;
    }
    static const Slice none;
    ADD_FAILURE() << "no slice " << name;
    return none;
  }
  std::string track_of(const std::string& name) const {
    return trace_.tracks.at(slice(name).track).name;
  }
  static Decoded trace_;
};
Decoded Perfetto::trace_;

TEST(ProtoMessage, MatchesTheEncodingGuide) {
  reports::ProtoMessage message;
  message.varint(1, 150);
  EXPECT_EQ(message.encoded(), "\x08\x96\x01");
  message.clear();
  message.bytes(2, "testing");
  EXPECT_EQ(message.encoded(), "\x12\x07testing");
  message.clear();
  message.integer(1, -2);
  EXPECT_EQ(message.encoded(), std::string_view("\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  message.clear();
  message.fixed64(47, 1);
  EXPECT_EQ(message.encoded(), std::string_view("\xf9\x02\x01\0\0\0\0\0\0\0", 10));
}

TEST_F(Perfetto, TimesAreExactAndNested) {
  const Slice& gemm = slice("void gemm<128, true>(float*)");
  EXPECT_EQ(gemm.begin_ns, 10'003u);
  EXPECT_EQ(gemm.end_ns, 13'004u);
  EXPECT_EQ(gemm.category, "kernel");
  const Slice& step = slice("step 0");
  EXPECT_EQ(step.begin_ns, 0u);
  EXPECT_EQ(step.end_ns, 100'000u);
  EXPECT_EQ(step.depth, 0u);
  EXPECT_EQ(slice("layer.0 | flop=3e6 hbm=2e4 precision=bf16 class=gemm").depth, 1u);
  EXPECT_EQ(slice("cudaLaunchKernel").depth, 2u);
  const Slice& fill = slice("Memset (Device)");
  EXPECT_EQ(fill.begin_ns, fill.end_ns);
  for (const Slice& s : trace_.slices) {
    EXPECT_EQ(s.ended, s.name != "stays open") << s.name;
    EXPECT_LE(s.begin_ns, s.ended ? s.end_ns : s.begin_ns) << s.name;
  }
}

// On a single track, a stack of begins and ends would give both overlapping slices wrong times.
TEST_F(Perfetto, OverlappingKernelsKeepTheirTimes) {
  const Slice& first = slice(valid_utf8(kernel_names()[0]));
  const Slice& second = slice(kernel_names()[1]);
  EXPECT_EQ(first.end_ns - first.begin_ns, 5'000u);
  EXPECT_EQ(second.end_ns - second.begin_ns, 3'000u);
  EXPECT_EQ(track_of(first.name), "stream 7");
  EXPECT_EQ(track_of(second.name), "stream 7, overlapping");
  EXPECT_EQ(slice("overlaps").end_ns - slice("overlaps").begin_ns, 40u);
  EXPECT_EQ(track_of("overlaps"), "thread 2, overlapping");
}

TEST_F(Perfetto, TracksHaveTheirParents) {
  const TrackOf& stream = trace_.tracks.at(slice("void gemm<128, true>(float*)").track);
  EXPECT_EQ(trace_.tracks.at(stream.parent).name, "GPU 0: Test GPU");
  const TrackOf& thread = trace_.tracks.at(slice("step 0").track);
  EXPECT_EQ(thread.pid, 7u);
  EXPECT_EQ(thread.tid, 1u);
  EXPECT_EQ(thread.name, valid_utf8("main " + fixture::hostile_name()));
  EXPECT_EQ(trace_.tracks.at(thread.parent).name, "rank 3: python train.py");
  EXPECT_EQ(trace_.tracks.at(thread.parent).pid, 7u);
  const TrackOf& lane = trace_.tracks.at(slice("overlaps").track);
  EXPECT_EQ(trace_.tracks.at(lane.parent).tid, 2u);
}

TEST_F(Perfetto, FlowsConnectCallsAndLaunches) {
  std::map<std::uint64_t, const Slice*> begins, ends;
  for (const Slice& s : trace_.slices) {
    for (const std::uint64_t id : s.flows) EXPECT_TRUE(begins.emplace(id, &s).second);
    for (const std::uint64_t id : s.ending_flows) EXPECT_TRUE(ends.emplace(id, &s).second);
  }
  EXPECT_EQ(begins.size(), 6u);
  ASSERT_EQ(ends.size(), begins.size());
  for (const auto& [id, end] : ends) {
    ASSERT_TRUE(begins.contains(id));
    EXPECT_EQ(begins[id]->category, "cuda_runtime");
    EXPECT_LE(begins[id]->begin_ns, end->begin_ns);
  }
  const std::uint64_t to_node = slice("node_b").ending_flows.at(0);
  EXPECT_EQ(begins[to_node]->begin_ns, 30'000u);
  EXPECT_EQ(begins[to_node]->flows.size(), 2u) << "one call, two nodes";
}

TEST_F(Perfetto, AnnotationsHaveTheAnalysis) {
  const Slice& gemm = slice("void gemm<128, true>(float*)");
  EXPECT_EQ(gemm.texts.at("grid"), "132x2x3");
  EXPECT_EQ(gemm.texts.at("class"), "gemm");
  EXPECT_EQ(gemm.texts.at("precision"), "BF16");
  EXPECT_EQ(gemm.reals.at("flop"), 3e6);
  EXPECT_DOUBLE_EQ(gemm.reals.at("speed_of_light_us"), 3.0);
  EXPECT_EQ(gemm.integers.at("registers per thread"), 168);
  EXPECT_FALSE(slice("node_a").reals.contains("flop"));
}

TEST_F(Perfetto, CountersAndMarks) {
  using Values = std::map<std::uint64_t, double>;
  EXPECT_EQ(trace_.counters["SM clock"], (Values{{30'000, 1755}}));
  EXPECT_EQ(trace_.counters["tensor pipe"], (Values{{10'000, 12.5}, {20'000, 99}}));
  for (const auto& [id, track] : trace_.tracks) {
    if (track.name == "power") {
      EXPECT_TRUE(track.is_counter);
      EXPECT_EQ(track.unit, "W");
    }
  }
  ASSERT_EQ(trace_.instants.size(), 1u);
  EXPECT_EQ(trace_.instants[0].begin_ns, 80u);
  EXPECT_EQ(trace_.instants[0].name, valid_utf8(fixture::hostile_name()));
  EXPECT_EQ(trace_.clocks[6], 0u);
  EXPECT_EQ(trace_.clocks[1], static_cast<std::uint64_t>(1'762'248'093'000'000'000 + kStart));
}

TEST(EmptyPerfetto, IsAPacketWithTheClock) {
  store::Profile empty;
  empty.file = "empty.sqlite";
  const analysis::RunAnalysis run = analysis::analyze_run(empty, {});
  StringSink sink;
  reports::export_perfetto({.run = run}, sink);
  const Decoded trace = Decoder().decode(sink.text);
  EXPECT_EQ(trace.packets, 1u);
  EXPECT_TRUE(trace.tracks.empty());
}

}  // namespace
}  // namespace mansard::test
