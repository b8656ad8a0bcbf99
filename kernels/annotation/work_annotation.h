// SPDX-License-Identifier: Apache-2.0
// The work of an NVTX range (FLOPs and bytes), encoded in the range's text. Any language can write
// it, any NVTX tool shows it, and it survives the import of a trace from another profiler:
//
//    fprop | flop=1.10e12 hbm=4.03e8 precision=bf16 class=gemm shape=8192x4096x4096
//
// The range's name stands left of " | ", key=value pairs separated by spaces stand right of it:
//    flop        floating-point operations of the range, a decimal number
//    a tier      bytes read plus written: the key is a MemoryLevel (hbm, l2, dram, ...)
//    precision   a Precision key
//    class       an operation class (analyzer/classify)
//    shape       free text
//    causal_flop FLOPs of an attention whose mask is a tensor, if that mask is causal
//    source      "model": computed from the shapes of a library call or framework operation, by
//                Mansard; otherwise the program states the work
// Unknown keys are ignored but counted, so that typos can be reported.
#pragma once

#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/vocabulary/memory_level.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

struct WorkAnnotation {
  std::string name;
  double flop = 0;
  std::map<MemoryLevel, double> bytes;
  std::optional<Precision> precision;
  std::string operation_class;
  std::string shape;
  // FLOPs if the tensor that masks an attention is a causal mask; 0: it is not masked by a tensor.
  double causal_flop = 0;
  // Computed from shapes rather than stated by the program: bytes are a lower bound, and hardware
  // counters have precedence.
  bool modeled = false;
  int unknown_keys = 0;
};

// Work that was computed from shapes. `hbm_bytes`: those of each operand read or written once.
inline WorkAnnotation modeled_work(std::string_view name, std::string_view operation_class,
                                   double flop, double hbm_bytes,
                                   std::optional<Precision> precision) {
  WorkAnnotation work;
  work.name = name;
  work.flop = flop;
  work.bytes[MemoryLevel::hbm] = hbm_bytes;
  work.precision = precision;
  work.operation_class = operation_class;
  work.modeled = true;
  return work;
}

inline std::string to_text(const WorkAnnotation& work) {
  std::string text = work.name + " |";
  char number[40];
  // 17 digits preserve the FLOPs of a large GEMM exactly.
  const auto put = [&](std::string_view key, double value) {
    std::snprintf(number, sizeof number, "%.17g", value);
    text.append(" ").append(key).append("=").append(number);
  };
  if (work.flop > 0) put("flop", work.flop);
  for (const auto& [level, bytes] : work.bytes) put(info(level).key, bytes);
  if (work.precision) text.append(" precision=").append(info(*work.precision).key);
  if (!work.operation_class.empty()) text.append(" class=").append(work.operation_class);
  if (!work.shape.empty()) text.append(" shape=").append(work.shape);
  if (work.causal_flop > 0) put("causal_flop", work.causal_flop);
  if (work.modeled) text.append(" source=model");
  return text;
}

// Empty when `text` has no annotation (no " | " followed by a known key).
inline std::optional<WorkAnnotation> parse_work_annotation(std::string_view text) {
  const std::size_t bar = text.rfind(" | ");
  if (bar == std::string_view::npos) return std::nullopt;
  WorkAnnotation work;
  work.name = text.substr(0, bar);
  std::string_view rest = text.substr(bar + 3);
  bool known = false;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    const std::string_view pair = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      ++work.unknown_keys;
      continue;
    }
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    if (key == "precision") {
      work.precision = parse_precision(value);
      if (!work.precision) ++work.unknown_keys;
      known = known || work.precision.has_value();
    } else if (key == "class") {
      work.operation_class = value;
      known = true;
    } else if (key == "source" && value == "model") {
      work.modeled = true;
    } else if (key == "shape") {
      work.shape = value;
      known = true;
    } else {
      double number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      const bool is_number = error == std::errc{} && end == value.data() + value.size() &&
                             number >= 0 && number < 1e30;
      const std::optional<MemoryLevel> level = parse_memory_level(key);
      if (is_number && key == "flop") {
        work.flop = number;
        known = true;
      } else if (is_number && key == "causal_flop") {
        work.causal_flop = number;
      } else if (is_number && level) {
        work.bytes[*level] = number;
        known = true;
      } else {
        ++work.unknown_keys;
      }
    }
  }
  if (!known) return std::nullopt;
  return work;
}

}  // namespace mansard::kernels
