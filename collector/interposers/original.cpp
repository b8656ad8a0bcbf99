// SPDX-License-Identifier: Apache-2.0
#include "collector/interposers/original.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace mansard::collector {
namespace {

// Its noexcept is needed for a tail call.
using FindSymbol = void* (*)(void*, const char*) noexcept;

// dlsym of the C library or of the next library that interposes it. dlsym is defined here, so the
// first one has to be found by another function: its version is that of the architecture's first C
// library, or 2.34, which moved it from libdl to libc.
FindSymbol next_dlsym() noexcept {
  static const FindSymbol found = [] {
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
      const auto of_libc = reinterpret_cast<FindSymbol>(dlvsym(RTLD_NEXT, "dlsym", version));
      if (of_libc == nullptr) continue;
      // dlvsym does not see definitions without a version, such as those of other tools.
      void* const next = of_libc(RTLD_NEXT, "dlsym");
      return next != nullptr ? reinterpret_cast<FindSymbol>(next) : of_libc;
    }
    return FindSymbol(nullptr);
  }();
  return found;
}

EntryPoint*& first_entry_point() noexcept {
  static EntryPoint* first = nullptr;
  return first;
}

// A loaded library by the prefix of its file name. The handle is not closed: it stays loaded as
// long as the program may call it.
void* find_library(const char* prefix) noexcept {
  struct Search {
    const char* prefix;
    char path[4096];
  } search{prefix, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const char* slash = std::strrchr(info->dlpi_name, '/');
        const char* file = slash != nullptr ? slash + 1 : info->dlpi_name;
        const bool is_it = std::strncmp(file, wanted.prefix, std::strlen(wanted.prefix)) == 0 &&
                           std::strlen(info->dlpi_name) < sizeof wanted.path;
        if (is_it) std::strcpy(wanted.path, info->dlpi_name);
        return is_it ? 1 : 0;
      },
      &search);
  // Not in the callback, which runs while the loader's lock is held.
  return search.path[0] != '\0' ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

void* find_symbol(void* library, const char* name) noexcept {
  const FindSymbol next = next_dlsym();
  return next != nullptr ? next(library, name) : nullptr;
}

void* find_in_library(const char* library, const char* name) noexcept {
  void* handle = find_library(library);
  return handle != nullptr ? find_symbol(handle, name) : nullptr;
}

EntryPoint::EntryPoint(const char* library, const char* name, void* own) noexcept
    : library_(library), name_(name), own_(own), next_(first_entry_point()) {
  first_entry_point() = this;
}

EntryPoint* EntryPoint::find(const char* name) noexcept {
  for (EntryPoint* entry = first_entry_point(); entry != nullptr; entry = entry->next_) {
    if (std::strcmp(entry->name_, name) == 0) return entry;
  }
  return nullptr;
}

void* EntryPoint::replace(void* found) noexcept {
  if (found == nullptr || found == own_) return found;
  original_.store(found, std::memory_order_release);
  return own_;
}

void* EntryPoint::address() noexcept {
  if (void* known = original_.load(std::memory_order_acquire)) return known;
  void* found = find_in_library(library_, name_);
  if (found == own_) found = nullptr;
  if (found != nullptr) original_.store(found, std::memory_order_release);
  return found;
}

}  // namespace mansard::collector

namespace {

bool may_be_interposed(void* handle, const char* name) noexcept {
  return handle != RTLD_NEXT &&
         (std::strncmp(name, "cublas", 6) == 0 || std::strncmp(name, "cudnnBackend", 12) == 0);
}

[[gnu::noinline]] void* look_up(void* handle, const char* name) noexcept {
  using namespace mansard::collector;
  EntryPoint* entry = EntryPoint::find(name);
  void* const found = find_symbol(handle, name);
  return entry != nullptr ? entry->replace(found) : found;
}

}  // namespace

// A program that looks up an interposed function gets the one of this library. All other calls
// continue in the C library as tail calls: for RTLD_NEXT, it looks at the return address to find
// the library that asked. CMakeLists.txt compiles this file with optimization for that reason.
MANSARD_EXPORT void* dlsym(void* handle, const char* name) noexcept {
  if (may_be_interposed(handle, name)) return look_up(handle, name);
  return mansard::collector::next_dlsym()(handle, name);
}
