// SPDX-License-Identifier: Apache-2.0
// Ranges around calls of a library, with the work that their arguments state.
#pragma once

#include <string>

namespace mansard::collector {

// Opens a range "NAME | flop=... source=model" (kernels/annotation/work_annotation.h) until it is
// destroyed. Libraries call their own entry points: only the outermost call with known work has a
// range in a thread. Never throws, and does nothing if the collector is not loaded.
class LibraryCall {
 public:
  // `describe()` returns the text of the range, empty if the work is unknown. It is not called
  // inside another call.
  template <class Describe>
  explicit LibraryCall(const Describe& describe) noexcept {
    if (is_inside_ || !collector_is_loaded()) return;
    try {
      open(describe());
    } catch (...) {
      // Out of memory: the call itself must still be made.
    }
  }
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  // Whether ranges can be recorded: otherwise nothing needs to be prepared for them.
  static bool collector_is_loaded() noexcept;

 private:
  void open(const std::string& text);

  static thread_local bool is_inside_;
  bool is_open_ = false;
};

}  // namespace mansard::collector
