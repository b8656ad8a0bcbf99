// SPDX-License-Identifier: Apache-2.0
// The GPUs, contexts and streams of the program. CUPTI describes each once, when it comes into
// being, which may be long before there is a file to write it to.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cupti.h>

#include "collector/store/profile_writer.h"

namespace mansard {

class CudaObjects {
 public:
  // Remembers what the record describes. Other kinds, and what is known already, are passed over.
  void note(const CUpti_Activity& record);
  // Work of `context` ran on `device`.
  void note(std::uint32_t context, std::uint32_t device);

  // Writes what has not been written.
  void write(ProfileWriter& writer);

  // kNoId if no record has told.
  std::int32_t device_of(std::uint32_t context) const;

 private:
  std::vector<GpuRecord> gpus_;  // these three are not written yet
  std::vector<ContextRecord> contexts_;
  std::vector<StreamRecord> streams_;
  std::set<std::uint32_t> known_gpus_;
  std::set<std::uint32_t> known_contexts_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_streams_;  // context, stream
  std::unordered_map<std::uint32_t, std::int32_t> devices_;          // by context
  std::uint32_t last_context_ = CUPTI_INVALID_CONTEXT_ID;
};

// GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi prints it.
std::string format_uuid(const CUuuid& uuid);

}  // namespace mansard
