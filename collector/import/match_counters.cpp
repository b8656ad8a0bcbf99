// SPDX-License-Identifier: Apache-2.0
#include "collector/import/match_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "collector/import/comparable_name.h"
#include "collector/store/kernel_name.h"

namespace mansard::collector {
namespace {

using Extent = std::array<std::int32_t, 3>;

// Spellings of a kernel's name, the most precise first.
constexpr std::size_t kSpellings = 4;
using Spellings = std::array<std::string, kSpellings>;

Spellings spellings_of(const std::string& name) {
  const std::string comparable = comparable_name(name);
  return {name, comparable, std::string(without_parameters(comparable)),
          store::short_kernel_name(name)};
}

bool is_function_alone(const std::string& name) {
  return name.find_first_of("<(:") == std::string::npos;
}

std::vector<KernelSignature> signatures_of(const store::Profile& profile) {
  using Key =
      std::tuple<store::StringId, store::StringId, Extent, Extent, std::int32_t, std::int32_t>;
  std::map<Key, KernelSignature> found;
  for (const store::KernelRecord& k : profile.kernels) {
    KernelSignature& s = found[{k.demangled_name, k.mangled_name, k.grid, k.block,
                                k.static_shared_bytes, k.dynamic_shared_bytes}];
    if (s.launches++ == 0) s.first = k;
    if (store::has_times(k.start_ns, k.end_ns)) {
      s.time_s += 1e-9 * static_cast<double>(k.end_ns - k.start_ns);
    }
  }
  std::vector<KernelSignature> signatures;
  for (const auto& [key, signature] : found) signatures.push_back(signature);
  std::stable_sort(signatures.begin(), signatures.end(),
                   [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  return signatures;
}

bool is_same_shape(const store::KernelRecord& kernel, const NcuLaunch& launch) {
  if (kernel.grid != launch.grid || kernel.block != launch.block) return false;
  const auto dynamic = launch.dynamic_shared_bytes();
  if (!dynamic) return true;
  const auto is_size = [&](std::int64_t printed_bytes, double rounding_bytes) {
    return std::fabs(static_cast<double>(printed_bytes - kernel.dynamic_shared_bytes)) <=
           rounding_bytes;
  };
  if (is_size(*dynamic, launch.shared_rounding_bytes)) return true;
  // PyTorch's profiler records only the sum; compute it here from the two printed sizes.
  const std::int64_t fixed = launch.static_shared_bytes().value_or(0);
  return fixed > 0 && kernel.static_shared_bytes == 0 &&
         is_size(*dynamic + fixed, 2 * launch.shared_rounding_bytes);
}

// Groups launches that ncu prints identically.
std::vector<CounterMatch> groups_of(const std::vector<NcuLaunch>& launches) {
  using Key = std::tuple<std::string, Extent, Extent, std::optional<std::int64_t>,
                         std::optional<std::int64_t>, double>;
  std::map<Key, std::size_t> group_of;
  std::vector<CounterMatch> groups;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const NcuLaunch& l = launches[i];
    const auto [at, is_new] =
        group_of.try_emplace(Key{l.kernel, l.grid, l.block, l.static_shared_bytes(),
                                 l.dynamic_shared_bytes(), l.shared_rounding_bytes},
                             groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].launches.push_back(i);
  }
  return groups;
}

class ComparableNames {
 public:
  explicit ComparableNames(const store::Profile& profile) : profile_(profile) {}

  bool match(const store::KernelRecord& kernel, const Spellings& wanted, std::size_t level) {
    const std::string& mangled = profile_.string(kernel.mangled_name);
    if (level == 0 && !mangled.empty() && mangled == wanted[0]) return true;
    return of(kernel.demangled_name)[level] == wanted[level];
  }

 private:
  const Spellings& of(store::StringId name) {
    const auto [at, is_new] = known_.try_emplace(name);
    if (is_new) at->second = spellings_of(profile_.string(name));
    return at->second;
  }
  const store::Profile& profile_;
  std::unordered_map<store::StringId, Spellings> known_;
};

}  // namespace

CounterMatches match_counters(const store::Profile& profile,
                              const std::vector<NcuLaunch>& launches) {
  CounterMatches result;
  result.signatures = signatures_of(profile);
  result.matches = groups_of(launches);
  ComparableNames names(profile);
  for (CounterMatch& match : result.matches) {
    const NcuLaunch& launch = launches[match.launches.front()];
    const Spellings wanted = spellings_of(launch.kernel);
    const std::size_t levels = is_function_alone(launch.kernel) ? kSpellings : kSpellings - 1;
    for (std::size_t level = 0; level < levels && match.signatures.empty(); ++level) {
      for (std::size_t s = 0; s < result.signatures.size(); ++s) {
        const store::KernelRecord& kernel = result.signatures[s].first;
        if (is_same_shape(kernel, launch) && names.match(kernel, wanted, level)) {
          match.signatures.push_back(s);
        }
      }
    }
    if (match.signatures.size() == 1) {
      result.signatures[match.signatures.front()].has_counters = true;
    }
  }
  for (const KernelSignature& s : result.signatures) {
    result.all_s += s.time_s;
    if (s.has_counters) result.with_counters_s += s.time_s;
  }
  return result;
}

}  // namespace mansard::collector
