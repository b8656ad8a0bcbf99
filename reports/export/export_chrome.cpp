// SPDX-License-Identifier: Apache-2.0
// Chrome trace events ("Trace Event Format", Google), with the categories and argument names of the
// PyTorch profiler (Kineto, output_json.cpp). One event per line.
#include "reports/export/decimal_microseconds.h"
#include "reports/export/json_text.h"
#include "reports/export/trace.h"

namespace mansard::reports {
namespace {

class ChromeWriter : public TimelineWriter {
 public:
  explicit ChromeWriter(ByteSink& sink) : sink_(sink) {}

  void begin(const ExportInput& input, const TimelineHead& head) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(const CounterValue& value) override;
  void end() override {
    out_ += "\n]}\n";
    sink_.write(out_);
    out_.clear();
  }

 private:
  // Writes `{"ph": PHASE, "pid": ..., "tid": ...`; the caller adds fields and closes the event.
  void open_event(std::string_view phase, const Track& track);
  void close_event() {
    out_ += '}';
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (out_.size() < kBlock) return;
    sink_.write(out_);
    out_.clear();
  }
  template <class Value>
  void field(std::string_view key, const Value& value) {
    out_ += ',';
    append_json(out_, key);
    out_ += ':';
    append_json(out_, value);
  }
  void time_field(std::string_view key, std::int64_t time_ns) {
    out_ += ',';
    append_json(out_, key);
    out_ += ':';
    append_microseconds(out_, time_ns);
  }
  template <class Value>
  void metadata(const Track& track, std::string_view name, std::string_view key,
                const Value& value);
  void arguments(const Slice& slice, const Track& track);
  void flow(std::string_view phase, const Track& track, std::int64_t time_ns, std::uint64_t id);

  ByteSink& sink_;
  std::string out_;
  bool first_event_ = true;
  std::vector<Track> tracks_;  // by id less 1
};

std::string devices_of(const store::Profile& profile) {
  std::string out;
  for (const store::GpuRecord& gpu : profile.gpus) {
    out += out.empty() ? "" : ",";
    const auto add = [&](const char* key, const auto& value) {
      out += out.back() == '{' ? "" : ",";
      append_json(out, std::string_view(key));
      out += ':';
      append_json(out, value);
    };
    out += '{';
    add("id", std::int64_t{gpu.id});
    add("name", std::string_view(gpu.name));
    add("totalGlobalMem", gpu.total_memory_bytes);
    add("computeMajor", std::int64_t{gpu.compute_major});
    add("computeMinor", std::int64_t{gpu.compute_minor});
    add("numSms", std::int64_t{gpu.sm_count});
    out += '}';
  }
  return out;
}

void ChromeWriter::begin(const ExportInput& input, const TimelineHead& head) {
  const store::Profile& profile = input.run.profile;
  out_ = "{\"schemaVersion\":1";
  field("displayTimeUnit", std::string_view("ns"));
  field("traceName", std::string_view(input.run.title));
  if (head.start_utc_ns > 0) field("baseTimeNanoseconds", head.start_utc_ns);
  if (profile.session.rank >= 0) {
    out_ += ",\"distributedInfo\":{\"rank\":";
    append_json(out_, std::int64_t{profile.session.rank});
    out_ += '}';
  }
  out_ += ",\n\"deviceProperties\":[" + devices_of(profile) + "]";
  out_ += ",\n\"otherData\":{\"writtenBy\":";
  append_json(out_, std::string_view("mansard " MANSARD_VERSION));
  if (!input.command.empty()) field("command", std::string_view(input.command));
  field("recordedCommand", std::string_view(profile.session.command));
  field("times", std::string_view("microseconds since the first event, which is at firstEventNs "
                                  "nanoseconds since the start of recording"));
  field("firstEventNs", head.first_ns);
  field("leftOutWithoutTimes", head.losses.without_times);
  out_ += "},\n\"traceEvents\":[";
}

void ChromeWriter::open_event(std::string_view phase, const Track& track) {
  out_ += first_event_ ? "\n" : ",\n";
  first_event_ = false;
  out_ += "{\"ph\":";
  append_json(out_, phase);
  field("pid", track.process);
  field("tid", track.thread);
}

template <class Value>
void ChromeWriter::metadata(const Track& track, std::string_view name, std::string_view key,
                            const Value& value) {
  open_event("M", track);
  field("name", name);
  out_ += ",\"args\":{";
  append_json(out_, key);
  out_ += ':';
  append_json(out_, value);
  out_ += '}';
  close_event();
}

void ChromeWriter::track(const Track& track) {
  tracks_.push_back(track);
  if (track.kind == TrackKind::counter) return;  // counters are named in their events
  const bool process = track.kind == TrackKind::process || track.kind == TrackKind::device;
  if (!track.name.empty()) {
    metadata(track, process ? "process_name" : "thread_name", "name", std::string_view(track.name));
  }
  // Sorted in the order of track(); further lanes are next to their first lane.
  const TrackId place = track.is_further_lane ? track.parent : track.id;
  metadata(track, process ? "process_sort_index" : "thread_sort_index", "sort_index",
           std::int64_t{place});
}

void ChromeWriter::arguments(const Slice& slice, const Track& track) {
  const bool of_other_thread = track.is_further_lane && track.kind == TrackKind::thread;
  if (slice.arguments.empty() && !of_other_thread) return;
  out_ += ",\"args\":{";
  for (const Argument& argument : slice.arguments) {
    if (out_.back() != '{') out_ += ',';
    append_json(out_, argument.key);
    out_ += ':';
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::array<std::int32_t, 3>>) {
            out_ += '[' + std::to_string(value[0]) + ',' + std::to_string(value[1]) + ',' +
                    std::to_string(value[2]) + ']';
          } else {
            append_json(out_, value);
          }
        },
        argument.value);
  }
  if (of_other_thread) {
    if (out_.back() != '{') out_ += ',';
    out_ += "\"host thread\":";
    append_json(out_, track.system_thread);
  }
  out_ += '}';
}

void ChromeWriter::flow(std::string_view phase, const Track& track, std::int64_t time_ns,
                        std::uint64_t id) {
  open_event(phase, track);
  field("cat", std::string_view("ac2g"));
  field("name", std::string_view("ac2g"));
  field("id", static_cast<std::int64_t>(id));
  time_field("ts", time_ns);
  if (phase == "f") field("bp", std::string_view("e"));
  close_event();
}

void ChromeWriter::slice(const Slice& slice) {
  const Track& track = tracks_[slice.track - 1];
  // An open range has no end in the trace either.
  open_event(slice.is_instant ? "i" : slice.end_ns ? "X" : "B", track);
  field("cat", slice.category);
  field("name", slice.name);
  time_field("ts", slice.start_ns);
  if (slice.is_instant) field("s", std::string_view("t"));
  if (slice.end_ns) time_field("dur", *slice.end_ns - slice.start_ns);
  arguments(slice, track);
  close_event();
  // A flow event binds to the event written before it.
  for (const std::uint64_t id : slice.outgoing_flows) flow("s", track, slice.start_ns, id);
  if (slice.incoming_flow != 0) flow("f", track, slice.start_ns, slice.incoming_flow);
}

void ChromeWriter::counter(const CounterValue& value) {
  const Track& track = tracks_[value.track - 1];
  open_event("C", track);
  field("name", std::string_view(track.name));
  time_field("ts", value.time_ns);
  out_ += ",\"args\":{";
  append_json(out_, track.unit.empty() ? std::string_view("value") : std::string_view(track.unit));
  out_ += ':';
  append_json(out_, value.value);
  out_ += '}';
  close_event();
}

}  // namespace

TimelineLosses export_chrome(const ExportInput& input, ByteSink& sink) {
  ChromeWriter writer(sink);
  return walk_timeline(input, writer);
}

}  // namespace mansard::reports
