// SPDX-License-Identifier: Apache-2.0
// Records the creation of the nodes of CUDA graphs from CUPTI's resource callbacks, on the thread
// that creates them: the ranges open there describe what a node's kernel does. The kernels
// themselves are launched later, all by one call.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include <cupti.h>

#include "collector/cupti/cupti_api.h"
#include "collector/store/profile_writer.h"

namespace mansard::collector {

inline constexpr std::array kGraphNodeCallbacks = {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                                   CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

class GraphNodes {
 public:
  GraphNodes(const CuptiApi& api, std::int64_t session_start_ns)
      : api_(api), session_start_ns_(session_start_ns) {}

  // Handles one of kGraphNodeCallbacks; thread-safe. At most kMostWaiting records wait for the
  // writer; further ones are counted as dropped.
  void handle(CUpti_CallbackId event, const CUpti_GraphData& data);

  // Called by the writer.
  void write(store::ProfileWriter& writer);
  void discard();
  std::uint64_t dropped() const;

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 17;

  const CuptiApi& api_;
  const std::int64_t session_start_ns_;
  mutable std::mutex mutex_;  // guards the fields below
  std::vector<store::GraphNodeRecord> waiting_;
  std::uint64_t dropped_ = 0;
};

}  // namespace mansard::collector
