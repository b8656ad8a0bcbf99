// SPDX-License-Identifier: Apache-2.0
// A library that a user preloads, and that hooks dlsym itself.
#include <dlfcn.h>

extern "C" {

int hooked_lookups = 0;

void* dlsym(void* handle, const char* name) noexcept {
  using Find = void* (*)(void*, const char*);
  static const auto next = reinterpret_cast<Find>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  ++hooked_lookups;
  return next(handle, name);
}

}  // extern "C"
