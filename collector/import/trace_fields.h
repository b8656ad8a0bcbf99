// SPDX-License-Identifier: Apache-2.0
// The keys of a trace that are read; all others are ignored.
#pragma once

#include <array>
#include <string_view>

namespace mansard::collector {

enum class TraceField {
  none,
  // of the trace
  events,
  devices,
  distributed,
  base_time,
  title,
  rank,
  world_size,
  // of a device
  device_id,
  device_name,
  device_memory,
  device_major,
  device_minor,
  device_sms,
  // of an event
  phase,
  category,
  name,
  pid,
  tid,
  start,
  duration,
  args,
  // of an event's args
  correlation,
  external_id,
  device,
  context,
  stream,
  bytes,
  registers,
  shared,
  graph_id,
  graph_node_id,
  waited_event_id,
  in_elements,
  out_elements,
  group_size,
  grid,
  block,
  argument_sizes,
  argument_types,
  argument_values,
  collective,
  element_type,
  group_name,
  group_ranks,
  label,
  thread,
  began_earlier,
};

struct TraceKey {
  std::string_view key;
  TraceField field;
};

inline constexpr std::array kRootKeys = {
    TraceKey{"traceEvents", TraceField::events},
    TraceKey{"deviceProperties", TraceField::devices},
    TraceKey{"distributedInfo", TraceField::distributed},
    TraceKey{"baseTimeNanoseconds", TraceField::base_time},
    TraceKey{"traceName", TraceField::title},
};

inline constexpr std::array kDistributedKeys = {TraceKey{"rank", TraceField::rank},
                                                TraceKey{"world_size", TraceField::world_size}};

inline constexpr std::array kDeviceKeys = {
    TraceKey{"id", TraceField::device_id},
    TraceKey{"name", TraceField::device_name},
    TraceKey{"totalGlobalMem", TraceField::device_memory},
    TraceKey{"computeMajor", TraceField::device_major},
    TraceKey{"computeMinor", TraceField::device_minor},
    TraceKey{"numSms", TraceField::device_sms},
};

inline constexpr std::array kEventKeys = {
    TraceKey{"ph", TraceField::phase},     TraceKey{"cat", TraceField::category},
    TraceKey{"name", TraceField::name},    TraceKey{"pid", TraceField::pid},
    TraceKey{"tid", TraceField::tid},      TraceKey{"ts", TraceField::start},
    TraceKey{"dur", TraceField::duration}, TraceKey{"args", TraceField::args},
};

inline constexpr std::array kArgKeys = {
    TraceKey{"correlation", TraceField::correlation},
    TraceKey{"External id", TraceField::external_id},
    TraceKey{"external id", TraceField::external_id},
    TraceKey{"device", TraceField::device},
    TraceKey{"context", TraceField::context},
    TraceKey{"stream", TraceField::stream},
    TraceKey{"bytes", TraceField::bytes},
    TraceKey{"registers per thread", TraceField::registers},
    TraceKey{"shared memory", TraceField::shared},
    TraceKey{"graph id", TraceField::graph_id},
    TraceKey{"graph node id", TraceField::graph_node_id},
    TraceKey{"wait_on_cuda_event_id", TraceField::waited_event_id},
    TraceKey{"In msg nelems", TraceField::in_elements},
    TraceKey{"Out msg nelems", TraceField::out_elements},
    TraceKey{"Group size", TraceField::group_size},
    TraceKey{"grid", TraceField::grid},
    TraceKey{"block", TraceField::block},
    TraceKey{"Input Dims", TraceField::argument_sizes},
    TraceKey{"Input dims", TraceField::argument_sizes},
    TraceKey{"Input type", TraceField::argument_types},
    TraceKey{"Concrete Inputs", TraceField::argument_values},
    TraceKey{"Collective name", TraceField::collective},
    TraceKey{"dtype", TraceField::element_type},
    TraceKey{"Process Group Name", TraceField::group_name},
    TraceKey{"Process Group Ranks", TraceField::group_ranks},
    TraceKey{"name", TraceField::label},
    // Keys that `mansard export` adds to those of PyTorch.
    TraceKey{"host thread", TraceField::thread},
    TraceKey{"began before recording", TraceField::began_earlier},
};

template <std::size_t N>
constexpr TraceField find_field(const std::array<TraceKey, N>& keys, std::string_view key) {
  for (const TraceKey& known : keys) {
    if (known.key == key) return known.field;
  }
  return TraceField::none;
}

}  // namespace mansard::collector
