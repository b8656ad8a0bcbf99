// SPDX-License-Identifier: Apache-2.0
// An NVTX event on its way from the program's thread to the writer; makes no allocations.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "collector/inject/nvtx_names.h"
#include "collector/store/tables.h"

namespace mansard::collector {

// Attributes of an event that the program passed.
struct NvtxAttributes {
  const NvtxDomain* domain = nullptr;
  const NvtxString* registered = nullptr;
  std::string_view text;  // if not registered; valid during the call only
  std::uint32_t category = 0;
  std::int64_t color = -1;
  store::NvtxPayload payload;
  std::string_view json;  // a structured payload (nvtx_schemas.h); valid during the call only
};

struct NvtxEvent {
  std::int64_t start_ns = 0;  // CLOCK_REALTIME
  std::int64_t end_ns = -1;
  // Nonzero if the open range is already in the database; only end_ns and the payload may be new.
  std::int64_t row_id = 0;
  std::uint64_t range_id = 0;
  const NvtxDomain* domain = nullptr;
  const NvtxString* registered = nullptr;
  std::uint32_t text_offset = 0;  // in NvtxBatch::text
  std::uint32_t text_size = 0;
  std::uint32_t json_size = 0;  // of the structured payload, which follows the text
  store::NvtxEventType type = store::NvtxEventType::push_pop;
  std::uint32_t category = 0;
  std::int64_t color = -1;
  std::int64_t global_tid = 0;
  std::int64_t end_global_tid = 0;
  store::NvtxPayload payload;
  std::uint32_t epoch = 0;     // of RecordingWindow, to which start_ns and row_id belong
  bool began_earlier = false;  // than that window
};
static_assert(std::is_trivially_copyable_v<NvtxEvent>);

// Events of one thread, ordered by end.
struct NvtxBatch {
  static constexpr std::size_t kEvents = 512;
  static constexpr std::size_t kTextBytes = 48 * 1024;
  // Total size of a batch: its arrays never grow.
  static constexpr std::size_t kBytes = kEvents * sizeof(NvtxEvent) + kTextBytes;

  NvtxBatch() {
    events.reserve(kEvents);
    text.reserve(kTextBytes);
  }
  bool has_room(std::size_t text_bytes) const {
    return events.size() < kEvents && text.size() + text_bytes <= kTextBytes;
  }
  void clear() {
    events.clear();
    text.clear();
  }

  std::vector<NvtxEvent> events;
  std::vector<char> text;
};

}  // namespace mansard::collector
