// SPDX-License-Identifier: Apache-2.0
// One event of a trace in Chrome's format, as PyTorch's profiler (Kineto) writes it. Events are
// read one at a time into the same object: a trace can be larger than memory.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "collector/store/tables.h"

namespace mansard::collector {

// A process or thread: mostly a number, but some writers use names.
struct TraceId {
  std::optional<std::int64_t> number;
  std::string text;

  void clear() {
    number.reset();
    text.clear();
  }
};

using TraceDimensions = std::array<std::optional<std::int64_t>, 3>;

struct TraceEvent {
  std::string phase;     // "X": complete
  std::string category;  // "kernel", "cpu_op", ...
  std::string name;
  TraceId pid;
  TraceId tid;
  std::optional<std::int64_t> start_ns;  // none: missing, or no number
  std::optional<std::int64_t> duration_ns;

  // Of "args"; none where an event does not have it.
  std::optional<std::int64_t> correlation;
  std::optional<std::int64_t> external_id;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> context;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> bytes;
  std::optional<std::int64_t> registers_per_thread;
  std::optional<std::int64_t> shared_bytes;  // static and dynamic
  std::optional<std::int64_t> graph_id;
  std::optional<std::int64_t> graph_node_id;
  std::optional<std::int64_t> waited_event_id;
  std::optional<std::int64_t> in_elements;  // this and the next: of a collective
  std::optional<std::int64_t> out_elements;
  std::optional<std::int64_t> group_size;
  std::optional<std::int64_t> thread;  // of the host, whose further track this is
  std::optional<std::int64_t> began_earlier;
  TraceDimensions grid;
  TraceDimensions block;
  std::string collective;
  std::string element_type;
  std::string group_name;
  std::string group_ranks;
  std::string label;  // "name" of a metadata event: what a process or thread is called

  void clear();  // keeps the strings' memory
};

// What a trace says outside of its events.
struct TraceHead {
  std::int64_t base_utc_ns = 0;  // to which all times are relative
  std::optional<std::int64_t> rank;
  std::string title;  // "traceName"
};

// How the reading of a trace came to its end.
enum class TraceEnd {
  whole,       // with the trace, or as the visitor had enough
  cut_short,   // the file ends before the trace does
  unreadable,  // the file is damaged, or the disk is
  no_json,     // it makes no sense from somewhere on
};

struct TraceReading {
  bool has_events = false;  // "traceEvents" was found
  TraceEnd end = TraceEnd::whole;
  std::string problem;  // where and what, unless whole
};

struct TraceVisitor {
  // False: enough has been read.
  std::function<bool(const TraceEvent&)> event;
  std::function<void(const store::GpuRecord&)> gpu;
  std::function<void(std::uint64_t file_bytes)> progress;  // now and then
};

// Reads the events of a trace, packed or not, and fills `head` on the way. Throws
// std::runtime_error when the file cannot be read or is no JSON from its beginning.
TraceReading read_trace(const std::filesystem::path& file, TraceHead& head,
                        const TraceVisitor& visitor);

}  // namespace mansard::collector
