// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/graph_nodes.h"

#include <unistd.h>
#include <utility>

#include "collector/store/global_ids.h"

namespace mansard::collector {

void GraphNodes::handle(CUpti_CallbackId event, const CUpti_GraphData& data) {
  std::uint64_t node = 0;
  std::uint64_t original = 0;
  if (api_.get_graph_node_id(data.node, &node) != CUPTI_SUCCESS) return;
  if (event == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED &&
      api_.get_graph_node_id(data.originalNode, &original) != CUPTI_SUCCESS) {
    return;
  }
  store::GraphNodeRecord record;
  record.start_ns = record.end_ns = store::utc_now_ns() - session_start_ns_;
  record.global_tid = store::global_tid(getpid(), gettid());
  record.graph_node_id = static_cast<std::int64_t>(node);
  record.original_graph_node_id = static_cast<std::int64_t>(original);
  const std::lock_guard lock(mutex_);
  if (waiting_.size() < kMostWaiting) {
    waiting_.push_back(record);
  } else {
    ++dropped_;
  }
}

void GraphNodes::write(store::ProfileWriter& writer) {
  std::vector<store::GraphNodeRecord> records;
  {
    const std::lock_guard lock(mutex_);
    records.swap(waiting_);
  }
  if (records.empty()) return;
  const store::StringId name = writer.intern("Graph Node Creation");  // as Nsight Systems has it
  for (store::GraphNodeRecord& record : records) {
    record.name = name;
    writer.add(record);
  }
}

void GraphNodes::discard() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

std::uint64_t GraphNodes::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace mansard::collector
