// SPDX-License-Identifier: Apache-2.0
#include "collector/store/work_by_range.h"

namespace mansard::store {
namespace {

// Returns a key that is equal only for equal annotations: the bytes of numbers, and texts with
// their lengths.
std::string key_of(const kernels::WorkAnnotation& work) {
  std::string key;
  const auto put = [&key](const auto& number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const std::string* text : {&work.name, &work.operation_class, &work.shape}) {
    put(text->size());
    key += *text;
  }
  put(work.flop);
  put(work.causal_flop);
  put(work.unknown_keys);
  put(work.modeled);
  put(work.precision ? static_cast<int>(*work.precision) : -1);
  for (const auto& [level, bytes] : work.bytes) {
    put(static_cast<int>(level));
    put(bytes);
  }
  return key;
}

}  // namespace

void WorkByRange::set(std::int64_t row_id, const kernels::WorkAnnotation& work) {
  const auto next = static_cast<std::uint32_t>(works_.size());
  const auto [known, is_new] = of_key_.try_emplace(key_of(work), next);
  if (is_new) works_.push_back(work);
  of_row_[row_id] = known->second;
}

}  // namespace mansard::store
