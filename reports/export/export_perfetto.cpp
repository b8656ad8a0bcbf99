// SPDX-License-Identifier: Apache-2.0
// Perfetto's native trace: one sequence of packets with interned names. Each slice has a begin
// packet and an end packet. Readers sort packets by time, and by position for equal times.
#include <unordered_map>

#include "reports/export/perfetto_fields.h"
#include "reports/export/protobuf.h"
#include "reports/export/trace.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

namespace pf = perfetto;

constexpr std::uint64_t kSequence = 1;

// Interned texts: written once, then referenced by number.
class Interned {
 public:
  explicit Interned(pf::Field field) : field_(field) {}

  // Returns the number of `text`; new texts are added to `new_entries`.
  std::uint64_t id(std::string_view text, ProtoMessage& new_entries) {
    const auto known = ids_.find(text);
    if (known != ids_.end()) return known->second;
    const std::uint64_t id = ids_.size() + 1;
    ids_.emplace(text, id);
    ProtoMessage entry;
    entry.varint(pf::interned::kId, id);
    entry.bytes(pf::interned::kName, valid_utf8(text));
    new_entries.message(field_, entry);
    return id;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  pf::Field field_;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> ids_;
};

class PerfettoWriter : public TimelineWriter {
 public:
  explicit PerfettoWriter(ByteSink& sink) : sink_(sink) {}

  void begin(const ExportInput& input, const TimelineHead& head) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(const CounterValue& value) override;
  void end() override;

 private:
  // Adds the common fields to packet_, writes it, and clears it.
  void write_packet();
  void close_ended(TrackId track, std::int64_t time_ns);
  void write_end(TrackId track, std::int64_t time_ns);
  void add_annotation(const Argument& argument);

  ByteSink& sink_;
  std::string out_;
  bool first_packet_ = true;
  ProtoMessage packet_;
  ProtoMessage event_;
  ProtoMessage annotation_;
  ProtoMessage interned_;  // entries new in this packet
  Interned categories_{pf::interned::kCategories};
  Interned names_{pf::interned::kEventNames};
  Interned keys_{pf::interned::kAnnotationNames};
  std::vector<std::vector<std::int64_t>>
      open_ns_;  // by track: ends of open slices, inner ones last
};

void PerfettoWriter::write_packet() {
  if (!interned_.empty()) packet_.message(pf::packet::kInternedData, interned_);
  interned_.clear();
  packet_.varint(pf::packet::kSequenceId, kSequence);
  if (first_packet_) {
    packet_.varint(pf::packet::kSequenceFlags, pf::packet::kIncrementalStateCleared);
    packet_.varint(pf::packet::kFirstOnSequence, 1);
  } else {
    packet_.varint(pf::packet::kSequenceFlags, pf::packet::kNeedsIncrementalState);
  }
  first_packet_ = false;
  ProtoMessage framed;
  framed.message(pf::trace::kPacket, packet_);
  packet_.clear();
  out_ += framed.encoded();
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  if (out_.size() < kBlock) return;
  sink_.write(out_);
  out_.clear();
}

// The trace clock starts at the first event; a clock snapshot has its wall-clock time.
void PerfettoWriter::begin(const ExportInput&, const TimelineHead& head) {
  ProtoMessage snapshot;
  const auto add_clock = [&](std::uint64_t id, std::int64_t time_ns) {
    ProtoMessage clock;
    clock.varint(pf::clock_snapshot::kClockId, id);
    clock.integer(pf::clock_snapshot::kTimestamp, time_ns);
    snapshot.message(pf::clock_snapshot::kClocks, clock);
  };
  add_clock(pf::clock_snapshot::kBoottime, 0);
  if (head.start_utc_ns > 0) add_clock(pf::clock_snapshot::kRealtime, head.start_utc_ns);
  packet_.integer(pf::packet::kTimestamp, 0);
  packet_.message(pf::packet::kClockSnapshot, snapshot);
  write_packet();
}

void PerfettoWriter::track(const Track& track) {
  open_ns_.resize(track.id + std::size_t{1});
  const std::string name = valid_utf8(track.name);
  ProtoMessage descriptor;
  ProtoMessage details;
  descriptor.varint(pf::descriptor::kUuid, track.id);
  if (track.parent != 0) descriptor.varint(pf::descriptor::kParentUuid, track.parent);
  descriptor.varint(pf::descriptor::kSiblingOrderRank, track.id);
  if (track.kind == TrackKind::process) {
    details.integer(pf::process::kPid, track.process);
    details.bytes(pf::process::kName, name);
    descriptor.message(pf::descriptor::kProcess, details);
  } else if (track.kind == TrackKind::thread && !track.is_further_lane) {
    details.integer(pf::thread::kPid, track.process);
    details.integer(pf::thread::kTid, track.thread);
    if (!name.empty()) details.bytes(pf::thread::kName, name);
    descriptor.message(pf::descriptor::kThread, details);
  } else {
    descriptor.bytes(pf::descriptor::kName, name);
  }
  if (track.kind == TrackKind::device) {
    descriptor.varint(pf::descriptor::kChildOrdering, pf::descriptor::kExplicitOrder);
  }
  if (track.kind == TrackKind::counter) {
    details.bytes(pf::counter::kUnitName, track.unit);
    descriptor.message(pf::descriptor::kCounter, details);
  }
  packet_.message(pf::packet::kTrackDescriptor, descriptor);
  write_packet();
}

void PerfettoWriter::write_end(TrackId track, std::int64_t time_ns) {
  event_.clear();
  event_.varint(pf::event::kType, pf::event::kSliceEnd);
  event_.varint(pf::event::kTrackUuid, track);
  packet_.integer(pf::packet::kTimestamp, time_ns);
  packet_.message(pf::packet::kTrackEvent, event_);
  write_packet();
}

// Ends the slices of a track that end before the next slice starts, inner ones first.
void PerfettoWriter::close_ended(TrackId track, std::int64_t time_ns) {
  std::vector<std::int64_t>& open = open_ns_[track];
  for (; !open.empty() && open.back() <= time_ns; open.pop_back()) write_end(track, open.back());
}

void PerfettoWriter::add_annotation(const Argument& argument) {
  annotation_.clear();
  annotation_.varint(pf::annotation::kNameId, keys_.id(argument.key, interned_));
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          annotation_.integer(pf::annotation::kInteger, value);
        } else if constexpr (std::is_same_v<T, double>) {
          annotation_.real(pf::annotation::kDouble, value);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          annotation_.bytes(pf::annotation::kString, valid_utf8(value));
        } else {
          annotation_.bytes(pf::annotation::kString, extent_text(value));
        }
      },
      argument.value);
  event_.message(pf::event::kAnnotations, annotation_);
}

void PerfettoWriter::slice(const Slice& slice) {
  close_ended(slice.track, slice.start_ns);
  event_.clear();
  event_.varint(pf::event::kType, slice.is_instant ? pf::event::kInstant : pf::event::kSliceBegin);
  event_.varint(pf::event::kTrackUuid, slice.track);
  event_.varint(pf::event::kCategoryIds, categories_.id(slice.category, interned_));
  event_.varint(pf::event::kNameId, names_.id(slice.name, interned_));
  for (const Argument& argument : slice.arguments) add_annotation(argument);
  for (const std::uint64_t id : slice.outgoing_flows) event_.fixed64(pf::event::kFlowIds, id);
  if (slice.incoming_flow != 0) {
    event_.fixed64(pf::event::kTerminatingFlowIds, slice.incoming_flow);
  }
  packet_.integer(pf::packet::kTimestamp, slice.start_ns);
  packet_.message(pf::packet::kTrackEvent, event_);
  write_packet();
  if (slice.end_ns) open_ns_[slice.track].push_back(*slice.end_ns);
}

void PerfettoWriter::counter(const CounterValue& value) {
  event_.clear();
  event_.varint(pf::event::kType, pf::event::kCounterValue);
  event_.varint(pf::event::kTrackUuid, value.track);
  event_.real(pf::event::kDoubleCounterValue, value.value);
  packet_.integer(pf::packet::kTimestamp, value.time_ns);
  packet_.message(pf::packet::kTrackEvent, event_);
  write_packet();
}

void PerfettoWriter::end() {
  for (TrackId track = 1; track < open_ns_.size(); ++track) {
    std::vector<std::int64_t>& open = open_ns_[track];
    for (; !open.empty(); open.pop_back()) write_end(track, open.back());
  }
  sink_.write(out_);
  out_.clear();
}

}  // namespace

TimelineLosses export_perfetto(const ExportInput& input, ByteSink& sink) {
  PerfettoWriter writer(sink);
  return walk_timeline(input, writer);
}

}  // namespace mansard::reports
