// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/range.h"

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

#include "kernels/annotation/annotate.h"

namespace mansard::kernels {
AnnotatedRange::AnnotatedRange(const char* text) { nvtxRangePushA(text); }
AnnotatedRange::~AnnotatedRange() { nvtxRangePop(); }
bool annotation_tool_attached() { return mansard_tool_attached() != 0; }
void annotate_mark(const std::string& text) { nvtxMarkA(text.c_str()); }
}  // namespace mansard::kernels

#else

#include <cstdlib>
#include <dlfcn.h>

namespace mansard::kernels {
namespace {

// The collector's plain C entry points, exported next to its NVTX injection.
struct Collector {
  void (*push)(const char*) = nullptr;
  void (*pop)() = nullptr;
  void (*mark)(const char*) = nullptr;
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
    const auto mark = reinterpret_cast<void (*)(const char*)>(dlsym(handle, "mansard_mark"));
    if (push != nullptr && pop != nullptr) c = {push, pop, mark};
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

bool annotation_tool_attached() { return collector().mark != nullptr; }

void annotate_mark(const std::string& text) {
  if (collector().mark != nullptr) collector().mark(text.c_str());
}

}  // namespace mansard::kernels

#endif
