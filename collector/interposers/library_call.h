// SPDX-License-Identifier: Apache-2.0
// Ranges around calls of a library, with the work that their arguments state.
#pragma once

#include <optional>
#include <string>

#include "kernels/annotation/gemm_work.h"

namespace mansard::collector {

// Opens a range "NAME | flop=... source=model" (kernels/annotation/work_annotation.h) until it is
// destroyed. Libraries call their own entry points: only the outermost call of a thread has a
// range. Never throws, and does nothing if the collector is not loaded.
class LibraryCall {
 public:
  // `model()` returns std::optional<kernels::Gemm> and is not called inside another call.
  template <class Model>
  LibraryCall(const char* name, const Model& model) noexcept {
    if (depth_++ > 0 || !collector_is_loaded()) return;
    try {
      if (const std::optional<kernels::Gemm> gemm = model()) open(name, *gemm);
    } catch (...) {
      // Out of memory: the call itself must still be made.
    }
  }
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  static bool collector_is_loaded() noexcept;
  void open(const char* name, const kernels::Gemm& gemm);

  static thread_local int depth_;
  bool is_open_ = false;
};

}  // namespace mansard::collector
