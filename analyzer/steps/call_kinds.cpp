// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/call_kinds.h"

#include <string_view>

namespace mansard::analysis {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_launch(std::string_view call) {
  return contains(call, "Launch") || contains(call, "MemcpyAsync") ||
         contains(call, "MemsetAsync") || contains(call, "EventRecord") ||
         contains(call, "StreamWaitEvent");
}

// cudaMemcpy without Async returns after its copy has finished.
bool is_synchronization(std::string_view call) {
  return contains(call, "Synchronize") ||
         (contains(call, "Memcpy") && !contains(call, "Async") && !contains(call, "Graph"));
}

}  // namespace

CallKind CallKinds::of(const store::ApiRecord& call) {
  const auto [kind, is_new] = kinds_.try_emplace(call.name, CallKind::other);
  if (is_new) {
    const std::string_view name = profile_.string(call.name);
    kind->second = is_synchronization(name) ? CallKind::synchronize
                   : is_launch(name)        ? CallKind::launch
                                            : CallKind::other;
  }
  return kind->second;
}

}  // namespace mansard::analysis
