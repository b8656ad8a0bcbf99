// SPDX-License-Identifier: Apache-2.0
#include "collector/interposers/library_call.h"

#include <cstdlib>
#include <dlfcn.h>

#include "collector/interposers/original.h"

namespace mansard::collector {
namespace {

// The entry points of the collector for ranges (collector/inject/entry_points.cpp).
struct Ranges {
  void (*push)(const char* text) = nullptr;
  void (*pop)() = nullptr;
};

const Ranges& ranges() noexcept {
  static const Ranges found = [] {
    Ranges entry;
    const char* output = secure_getenv("MANSARD_OUTPUT");
    const char* collector = secure_getenv("CUDA_INJECTION64_PATH");
    if (output == nullptr || collector == nullptr) return entry;
    void* library = dlopen(collector, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return entry;
    entry.push =
        reinterpret_cast<void (*)(const char*)>(find_symbol(library, "mansard_range_push"));
    entry.pop = reinterpret_cast<void (*)()>(find_symbol(library, "mansard_range_pop"));
    return entry.pop != nullptr ? entry : Ranges();
  }();
  return found;
}

}  // namespace

thread_local bool LibraryCall::is_inside_ = false;

bool LibraryCall::collector_is_loaded() noexcept { return ranges().push != nullptr; }

void LibraryCall::open(const std::string& text) {
  if (text.empty()) return;
  ranges().push(text.c_str());
  is_inside_ = is_open_ = true;
}

LibraryCall::~LibraryCall() {
  if (!is_open_) return;
  ranges().pop();
  is_inside_ = false;
}

}  // namespace mansard::collector
