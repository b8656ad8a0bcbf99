// SPDX-License-Identifier: Apache-2.0
// The GPUs, contexts and streams of the program. CUPTI describes each once, when it comes into
// being, which may be long before there is a file to write it to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cupti.h>

#include "collector/store/profile_writer.h"

namespace mansard::collector {

class CudaObjects {
 public:
  // `on_device` is called once for each GPU that the program has a context on, as soon as it has
  // been described.
  using OnDevice = std::function<void(const store::GpuRecord& gpu)>;
  explicit CudaObjects(OnDevice on_device = {}) : on_device_(std::move(on_device)) {}

  // Remembers what the record describes. Other kinds, and what is known already, are passed over.
  void note(const CUpti_Activity& record);
  // Work of `context` ran on `device`.
  void note(std::uint32_t context, std::uint32_t device);

  // Writes what has not been written.
  void write(store::ProfileWriter& writer);

  // kNoId if no record has told.
  std::int32_t device_of(std::uint32_t context) const;

 private:
  void tell_of(std::uint32_t gpu) const;

  const OnDevice on_device_;
  std::vector<store::GpuRecord> gpus_;  // these three are not written yet
  std::vector<store::ContextRecord> contexts_;
  std::vector<store::StreamRecord> streams_;
  std::map<std::uint32_t, store::GpuRecord> known_gpus_;
  std::set<std::uint32_t> used_gpus_;
  std::set<std::uint32_t> known_contexts_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_streams_;  // context, stream
  std::unordered_map<std::uint32_t, std::int32_t> devices_;          // by context
  std::uint32_t last_context_ = CUPTI_INVALID_CONTEXT_ID;
};

// GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi prints it.
std::string format_uuid(const CUuuid& uuid);

}  // namespace mansard::collector
