// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/kernel_names.h"

#include "collector/store/kernel_name.h"

namespace mansard::analysis {

namespace {

// Exports by other tools may lack the demangled name.
store::StringId best_name(const store::KernelRecord& kernel) {
  for (const store::StringId id : {kernel.demangled_name, kernel.mangled_name, kernel.short_name}) {
    if (id != 0) return id;
  }
  return 0;
}

}  // namespace

KernelNames::KernelNames(const store::Profile& profile, const KernelRules& rules) {
  std::unordered_map<store::StringId, std::uint32_t> index_of;
  of_kernel_.reserve(profile.kernels.size());
  for (const store::KernelRecord& kernel : profile.kernels) {
    const store::StringId id = best_name(kernel);
    const auto [entry, is_new] =
        index_of.try_emplace(id, static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      KernelName name;
      name.full = id == 0 ? "(unnamed kernel)" : profile.string(id);
      name.short_name = profile.string(kernel.short_name);
      if (name.short_name.empty()) name.short_name = store::short_kernel_name(name.full);
      if (const std::string_view operation = store::operation_of_template(name.full);
          !operation.empty() && name.short_name.find('<') == std::string::npos) {
        name.short_name.append("<").append(operation).append(">");
      }
      name.by_rules = rules.classify(name.full);
      names_.push_back(std::move(name));
    }
    of_kernel_.push_back(entry->second);
  }
}

}  // namespace mansard::analysis
