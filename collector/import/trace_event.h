// SPDX-License-Identifier: Apache-2.0
// One event of a trace in Chrome's format, as written by PyTorch's profiler (Kineto). Events are
// read one at a time into the same object, because a trace can be larger than memory.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/store/tables.h"
#include "kernels/annotation/operation_work.h"

namespace mansard::collector {

// A process or thread id: usually a number, but some writers use names.
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
  std::optional<std::int64_t> start_ns;  // none: missing, or not a number
  std::optional<std::int64_t> duration_ns;

  // Members of "args"; none if the event does not have them.
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
  std::optional<std::int64_t> in_elements;  // this and the next: for collectives
  std::optional<std::int64_t> out_elements;
  std::optional<std::int64_t> group_size;
  std::optional<std::int64_t> thread;  // host thread to which this additional track belongs
  std::optional<std::int64_t> began_earlier;
  TraceDimensions grid;
  TraceDimensions block;
  std::string collective;
  std::string element_type;
  std::string group_name;
  std::string group_ranks;
  std::string label;  // "name" of a metadata event: name of a process or thread

  // Arguments of an operation, if shapes were recorded. clear() keeps their memory.
  std::span<const kernels::OperationArgument> arguments() const {
    return std::span(arguments_).first(argument_count_);
  }
  kernels::OperationArgument& argument(std::size_t index);  // adds those up to it

  void clear();  // keeps the memory of strings

 private:
  std::vector<kernels::OperationArgument> arguments_;
  std::size_t argument_count_ = 0;
};

// Data of a trace outside of its events.
struct TraceHead {
  std::int64_t base_utc_ns = 0;  // all times are relative to it
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world_size;
  std::string title;  // "traceName"
};

// How reading of a trace ended.
enum class TraceEnd {
  whole,       // at the end of the trace, or stopped by the visitor
  cut_short,   // the file ends before the trace does
  unreadable,  // the file or the disk is damaged
  no_json,     // invalid JSON at some point
};

struct TraceReading {
  bool has_events = false;  // "traceEvents" was found
  TraceEnd end = TraceEnd::whole;
  std::string problem;  // where and what, if not whole
};

struct TraceVisitor {
  // Returns false to stop reading.
  std::function<bool(const TraceEvent&)> event;
  std::function<void(const store::GpuRecord&)> gpu;
  std::function<void(std::uint64_t file_bytes)> progress;  // called periodically
};

// Reads the events of a trace, compressed or not, and fills `head`. Throws std::runtime_error if
// the file cannot be read or does not start as JSON.
TraceReading read_trace(const std::filesystem::path& file, TraceHead& head,
                        const TraceVisitor& visitor);

}  // namespace mansard::collector
