// SPDX-License-Identifier: Apache-2.0
// Structured NVTX payloads: the layouts that a program registers, and payloads as JSON. NCCL states
// the size of each collective and the ranks of each communicator in such payloads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collector/inject/nvtx_abi.h"
#include "collector/inject/nvtx_names.h"

namespace mansard::collector {

class NvtxSchemas {
 public:
  // Both return the ID by which payloads refer to the layout: the program's ID, or a new one. Only
  // numbers, enumerations and strings are decoded; arrays, pointers, unions and nested layouts are
  // skipped.
  std::uint64_t add(const NvtxDomain* domain, const nvtx::SchemaAttributes& attributes);
  std::uint64_t add(const NvtxDomain* domain, const nvtx::EnumAttributes& attributes);

  struct Decoded {
    std::string json;     // an object; empty: nothing could be decoded
    std::string message;  // value of the entry that is the event's text
  };
  // Decodes the payloads of an event into one object. Never reads beyond PayloadData::size.
  Decoded decode(const NvtxDomain* domain, const nvtx::PayloadData* payloads, std::size_t count);

  // Called around fork(), so that the child does not inherit a lock held by a thread that does not
  // exist there.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  using Key = std::pair<const NvtxDomain*, std::uint64_t>;

  struct Enumeration {
    std::uint64_t size = 0;  // bytes
    std::map<std::uint64_t, std::string> names;
  };
  struct Field {
    std::string name;
    std::uint64_t type = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // bytes
    bool embedded_text = false;
    bool is_message = false;
  };

  std::uint64_t id_of(bool has_id, std::uint64_t id);
  bool lay_out(const NvtxDomain* domain, const nvtx::SchemaEntry& entry, std::uint64_t end,
               std::uint64_t pack_align, Field& field) const;

  std::mutex mutex_;
  std::map<Key, std::vector<Field>> schemas_;
  std::map<Key, Enumeration> enumerations_;
  std::uint64_t next_id_ = nvtx::kDynamicSchemas;
};

// Merges the members of both objects; if a name is in both, the second wins. Either may be empty.
std::string join_json_objects(const std::string& first, const std::string& second);

}  // namespace mansard::collector
