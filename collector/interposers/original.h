// SPDX-License-Identifier: Apache-2.0
// Finds the functions that this library interposes, and hands its own to programs that look them
// up with dlsym().
#pragma once

#include <atomic>

#define MANSARD_EXPORT extern "C" __attribute__((visibility("default")))
#define MANSARD_UNPACK(...) __VA_ARGS__

namespace mansard::collector {

// dlsym() of the C library, or of the next library that interposes it.
void* find_symbol(void* library, const char* name) noexcept;

// An entry point that this library defines too. All are in one list, which dlsym() searches.
class EntryPoint {
 public:
  // `library`: prefix of the file name of the library that has it, "libcublas.so". `own`: the
  // function of this library. Strings must outlive it; for objects of static storage only.
  EntryPoint(const char* library, const char* name, void* own) noexcept;

  // The library's function; nullptr if no such library is loaded, which cannot be while the program
  // calls it. The function must have this type.
  template <class Function>
  Function* original() noexcept {
    return reinterpret_cast<Function*>(address());
  }

  // Returns nullptr if this library does not define `name`.
  static EntryPoint* find(const char* name) noexcept;
  // Returns own(), and remembers the library's function that dlsym() found.
  void* replace(void* found) noexcept;

 private:
  void* address() noexcept;

  const char* library_;
  const char* name_;
  void* own_;
  std::atomic<void*> original_{nullptr};
  EntryPoint* next_;
};

// The function `name` of a loaded library, for functions that are called but not interposed.
void* find_in_library(const char* library, const char* name) noexcept;

}  // namespace mansard::collector
