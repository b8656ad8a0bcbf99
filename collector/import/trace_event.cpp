// SPDX-License-Identifier: Apache-2.0
#include "collector/import/trace_event.h"

namespace mansard::collector {

void TraceEvent::clear() {
  for (std::string* text : {&phase, &category, &name, &pid.text, &tid.text, &collective,
                            &element_type, &group_name, &group_ranks, &label}) {
    text->clear();
  }
  for (std::optional<std::int64_t>* value :
       {&pid.number,           &tid.number,   &start_ns,   &duration_ns,   &correlation,
        &external_id,          &device,       &context,    &stream,        &bytes,
        &registers_per_thread, &shared_bytes, &graph_id,   &graph_node_id, &waited_event_id,
        &in_elements,          &out_elements, &group_size, &thread,        &began_earlier}) {
    value->reset();
  }
  grid = {};
  block = {};
  argument_count_ = 0;
}

kernels::OperationArgument& TraceEvent::argument(std::size_t index) {
  for (; argument_count_ <= index; ++argument_count_) {
    if (argument_count_ == arguments_.size()) arguments_.emplace_back();
    kernels::OperationArgument& added = arguments_[argument_count_];
    added.sizes.clear();
    added.type.clear();
    added.value.clear();
  }
  return arguments_[index];
}

}  // namespace mansard::collector
