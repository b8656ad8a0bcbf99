// SPDX-License-Identifier: Apache-2.0
#include "collector/store/kernel_name.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace mansard::store {
namespace {

constexpr std::string_view kOperator = "operator";
// As written by the demanglers of GNU, CUPTI and Nsight Systems.
constexpr std::array<std::string_view, 2> kUnnamed = {"(anonymous namespace)", "<unnamed>"};

std::size_t unnamed_length(std::string_view text) {
  for (const std::string_view unnamed : kUnnamed) {
    if (text.starts_with(unnamed)) return unnamed.size();
  }
  return 0;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

// Returns the length of the operator name at the start of `text` ("operator()", "operator<<"), or
// 0.
std::size_t operator_length(std::string_view text) {
  if (!text.starts_with(kOperator)) return 0;
  std::size_t end = kOperator.size();
  if (end < text.size() && is_name_char(text[end])) return 0;  // a name such as operator_kernel
  if (text.substr(end).starts_with("()")) return end + 2;
  while (end < text.size() &&
         std::string_view("<>=!+-*/%&|^~[],").find(text[end]) != std::string_view::npos) {
    ++end;
  }
  return end;
}

// Returns the index past the bracket that matches text[at], or npos. Within parentheses, '<' and
// '>' are comparisons.
std::size_t skip_brackets(std::string_view text, std::size_t at) {
  std::string open;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool in_template = !open.empty() && open.back() == '<';
    if (c == '(' || c == '{' || c == '[' || (c == '<' && (open.empty() || in_template))) {
      open += c;
    } else if (c == ')' || c == '}' || c == ']' || (c == '>' && in_template)) {
      open.pop_back();
      if (open.empty()) return at + 1;
    }
  }
  return std::string_view::npos;
}

// Kernel templates of PyTorch whose argument is the operation.
constexpr std::array<std::string_view, 8> kGenericKernels = {
    "elementwise_kernel",          "vectorized_elementwise_kernel",
    "unrolled_elementwise_kernel", "elementwise_kernel_with_index",
    "index_elementwise_kernel",    "reduce_kernel",
    "multi_tensor_apply_kernel",   "distribution_elementwise_grid_stride_kernel"};
// Templates and functors around the operation.
constexpr std::array<std::string_view, 6> kWrappers = {
    "gpu_kernel_impl", "gpu_kernel_impl_nocast", "BinaryFunctor",
    "AUnaryFunctor",   "BUnaryFunctor",          "distribution_nullary_kernel"};
constexpr std::array<std::string_view, 8> kOperationEndings = {
    "Functor", "_functor", "Ops", "_kernel", "_kernel_cuda", "_kernel_impl", "_out", "_scalar"};

bool names_operation(std::string_view identifier) {
  if (std::ranges::find(kWrappers, identifier) != kWrappers.end()) return false;
  return identifier.starts_with("CUDAFunctor") ||
         std::ranges::any_of(kOperationEndings, [&](std::string_view ending) {
           return identifier.ends_with(ending) && identifier.size() > ending.size();
         });
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string short_kernel_name(std::string_view text) {
  std::string name;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const bool word_start = at == 0 || !is_name_char(text[at - 1]);
    const std::size_t op = word_start ? operator_length(rest) : 0;
    if (op > 0) {
      name += rest.substr(0, op);
      at += op;
    } else if (const std::size_t unnamed = unnamed_length(rest); unnamed > 0) {
      at += unnamed;
    } else if (rest[0] == '<') {
      at = skip_brackets(text, at);
      if (at == std::string_view::npos) return std::string(text);  // cut off, or not C++
    } else if (rest[0] == '(') {
      break;  // the parameters
    } else if (rest[0] == ' ') {
      name.clear();  // that was the return type
      ++at;
    } else if (rest.starts_with("::")) {
      name.clear();
      at += 2;
    } else if (rest[0] == '{' || rest[0] == '[') {
      const std::size_t end = std::min(skip_brackets(text, at), text.size());
      name += text.substr(at, end - at);
      at = end;
    } else {
      name += rest[0];
      ++at;
    }
  }
  return name.empty() ? std::string(text) : name;
}

std::string_view operation_of_template(std::string_view demangled) {
  const std::size_t open = demangled.find('<');
  const std::size_t start = demangled.find_last_of(": ", std::min(open, demangled.size())) + 1;
  if (open == std::string_view::npos || start >= open) return {};
  const std::string_view kernel = demangled.substr(start, open - start);
  if (std::ranges::find(kGenericKernels, kernel) == kGenericKernels.end()) return {};
  for (std::size_t at = open; at < demangled.size();) {
    if (!is_name_char(demangled[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < demangled.size() && is_name_char(demangled[end])) ++end;
    const std::string_view identifier = demangled.substr(at, end - at);
    if (names_operation(identifier)) return identifier;
    at = end;
  }
  return {};
}

}  // namespace mansard::store
