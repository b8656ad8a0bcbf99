// SPDX-License-Identifier: Apache-2.0
// The operation class of a kernel: "gemm", "attention", "quantize". Rules assign it by the kernel's
// name (kernels.rules); an annotation may state any other name.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mansard::analysis {

// The interned name of a class: copied, compared for equality and hashed as a pointer. Sorts by
// name. Default: the class with the empty name.
class OperationClass {
 public:
  OperationClass();
  // Thread-safe. The name is valid until the program ends.
  template <std::convertible_to<std::string_view> Text>
  OperationClass(const Text& name) : OperationClass(Interned{}, name) {}

  const std::string& name() const { return *name_; }
  operator std::string_view() const { return *name_; }
  bool empty() const { return name_->empty(); }

  friend bool operator==(OperationClass a, OperationClass b) { return a.name_ == b.name_; }
  friend std::strong_ordering operator<=>(OperationClass a, OperationClass b) {
    return a.name_ == b.name_ ? std::strong_ordering::equal : *a.name_ <=> *b.name_;
  }

 private:
  struct Interned {};
  OperationClass(Interned, std::string_view name);

  friend struct std::hash<OperationClass>;
  const std::string* name_;
};

// Classes with special treatment in the analysis.
inline const OperationClass kGemmClass = "gemm";
inline const OperationClass kAttentionClass = "attention";
inline const OperationClass kConvolutionClass = "convolution";
inline const OperationClass kCollectiveClass = "collective";  // kernels of NCCL and the like
inline const OperationClass kMemcpyClass = "memcpy";
inline const OperationClass kMemsetClass = "memset";
inline const OperationClass kOtherClass = "other";  // no rule matches the name

// Classes whose kernels move data without arithmetic of the model: the operations that they execute
// (moves coded as arithmetic, scaling, rounding) do not count as FLOPs.
bool is_bandwidth_only(OperationClass operation_class);

}  // namespace mansard::analysis

template <>
struct std::hash<mansard::analysis::OperationClass> {
  std::size_t operator()(mansard::analysis::OperationClass c) const noexcept {
    return std::hash<const void*>()(c.name_);
  }
};
