// SPDX-License-Identifier: Apache-2.0
// What NVTX hands out handles for: domains and registered strings. They live as long as the
// process, since a program may use a handle at any time, and in a forked child too.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace mansard::collector {

struct NvtxDomain {
  std::int64_t id;  // 0 is the default domain, whose handle is null
  std::string name;
};

struct NvtxString {
  std::string text;
};

class NvtxNames {
 public:
  // Domains and strings of equal name share a handle, as many shared objects create the same ones.
  const NvtxDomain* domain(std::string_view name);
  const NvtxString* string(std::string_view text);

  // Around fork(), so that the child does not inherit a lock held by a thread that it lacks.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::map<std::string, NvtxDomain, std::less<>> domains_;
  std::map<std::string, NvtxString, std::less<>> strings_;
};

}  // namespace mansard::collector
