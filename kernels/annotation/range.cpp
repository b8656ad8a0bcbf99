// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/range.h"

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

namespace mansard::kernels {
AnnotatedRange::AnnotatedRange(const char* text) { nvtxRangePushA(text); }
AnnotatedRange::~AnnotatedRange() { nvtxRangePop(); }
}  // namespace mansard::kernels

#else

#include <cstdlib>
#include <dlfcn.h>

namespace mansard::kernels {
namespace {

// The collector's two plain C entry points, exported next to its NVTX injection.
struct Collector {
  void (*push)(const char*) = nullptr;
  void (*pop)() = nullptr;
};

const Collector& collector() {
  static const Collector found = [] {
    Collector c;
    const char* library = std::getenv("NVTX_INJECTION64_PATH");
    if (library == nullptr) return c;
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return c;
    const auto push = reinterpret_cast<void (*)(const char*)>(dlsym(handle, "mansard_range_push"));
    const auto pop = reinterpret_cast<void (*)()>(dlsym(handle, "mansard_range_pop"));
    if (push != nullptr && pop != nullptr) c = {push, pop};
    return c;
  }();
  return found;
}

}  // namespace

AnnotatedRange::AnnotatedRange(const char* text) {
  if (collector().push != nullptr) collector().push(text);
}

AnnotatedRange::~AnnotatedRange() {
  if (collector().pop != nullptr) collector().pop();
}

}  // namespace mansard::kernels

#endif
