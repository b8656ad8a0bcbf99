// SPDX-License-Identifier: Apache-2.0
// Field numbers of Perfetto's trace format, from github.com/google/perfetto,
// protos/perfetto/trace/: trace.proto, trace_packet.proto, clock_snapshot.proto,
// interned_data/interned_data.proto and, in track_event/, track_event.proto,
// track_descriptor.proto, process_descriptor.proto, thread_descriptor.proto,
// counter_descriptor.proto, debug_annotation.proto.
#pragma once

#include <cstdint>

namespace mansard::reports::perfetto {

using Field = std::uint32_t;

namespace trace {
inline constexpr Field kPacket = 1;
}

namespace packet {
inline constexpr Field kClockSnapshot = 6;
inline constexpr Field kTimestamp = 8;  // of BOOTTIME, in ns, where no other clock is named
inline constexpr Field kSequenceId = 10;
inline constexpr Field kTrackEvent = 11;
inline constexpr Field kInternedData = 12;
inline constexpr Field kSequenceFlags = 13;
inline constexpr Field kTrackDescriptor = 60;
inline constexpr Field kFirstOnSequence = 87;
inline constexpr std::uint64_t kIncrementalStateCleared = 1;
inline constexpr std::uint64_t kNeedsIncrementalState = 2;
}  // namespace packet

namespace clock_snapshot {
inline constexpr Field kClocks = 1;
inline constexpr Field kClockId = 1;
inline constexpr Field kTimestamp = 2;
inline constexpr std::uint64_t kRealtime = 1;
inline constexpr std::uint64_t kBoottime = 6;
}  // namespace clock_snapshot

namespace interned {
inline constexpr Field kCategories = 1;
inline constexpr Field kEventNames = 2;
inline constexpr Field kAnnotationNames = 3;
// Shared by all three kinds of entries.
inline constexpr Field kId = 1;
inline constexpr Field kName = 2;
}  // namespace interned

namespace descriptor {
inline constexpr Field kUuid = 1;
inline constexpr Field kName = 2;
inline constexpr Field kProcess = 3;
inline constexpr Field kThread = 4;
inline constexpr Field kParentUuid = 5;
inline constexpr Field kCounter = 8;
inline constexpr Field kChildOrdering = 11;
inline constexpr Field kSiblingOrderRank = 12;
inline constexpr std::uint64_t kExplicitOrder = 3;
}  // namespace descriptor

namespace process {
inline constexpr Field kPid = 1;
inline constexpr Field kName = 6;
}  // namespace process

namespace thread {
inline constexpr Field kPid = 1;
inline constexpr Field kTid = 2;
inline constexpr Field kName = 5;
}  // namespace thread

namespace counter {
inline constexpr Field kUnitName = 6;
}

namespace event {
inline constexpr Field kCategoryIds = 3;
inline constexpr Field kAnnotations = 4;
inline constexpr Field kType = 9;
inline constexpr Field kNameId = 10;
inline constexpr Field kTrackUuid = 11;
inline constexpr Field kDoubleCounterValue = 44;
inline constexpr Field kFlowIds = 47;             // fixed64
inline constexpr Field kTerminatingFlowIds = 48;  // fixed64
inline constexpr std::uint64_t kSliceBegin = 1;
inline constexpr std::uint64_t kSliceEnd = 2;
inline constexpr std::uint64_t kInstant = 3;
inline constexpr std::uint64_t kCounterValue = 4;
}  // namespace event

namespace annotation {
inline constexpr Field kNameId = 1;
inline constexpr Field kInteger = 4;
inline constexpr Field kDouble = 5;
inline constexpr Field kString = 6;
}  // namespace annotation

}  // namespace mansard::reports::perfetto
