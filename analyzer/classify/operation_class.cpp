// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/operation_class.h"

#include <mutex>
#include <set>

namespace mansard::analysis {
namespace {

const std::string& interned(std::string_view name) {
  static std::mutex mutex;
  // Never destroyed: destructors of static objects may still use classes.
  static auto& names = *new std::set<std::string, std::less<>>;
  const std::scoped_lock lock(mutex);
  const auto known = names.find(name);
  return known != names.end() ? *known : *names.emplace(name).first;
}

}  // namespace

OperationClass::OperationClass() {
  static const std::string& none = interned("");
  name_ = &none;
}

OperationClass::OperationClass(Interned, std::string_view name) : name_(&interned(name)) {}

bool is_bandwidth_only(OperationClass operation_class) {
  static const std::set<OperationClass> classes = {
      "copy", "transpose", "cast", "quantize", "dequantize", kMemcpyClass, kMemsetClass};
  return classes.contains(operation_class);
}

}  // namespace mansard::analysis
