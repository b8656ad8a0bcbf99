// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/match_kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mansard::analysis {

namespace {

auto signature_key(const SignatureLaunches& s) {
  return std::make_tuple(s.name, s.grid, s.block, s.shared_bytes);
}

auto name_key(const SignatureLaunches& s) {
  return std::make_tuple(s.short_name, s.operation_class);
}

// Groups both sides by `key_of`, in the order of the keys.
template <class KeyOf>
auto group(const std::vector<const SignatureLaunches*>& a,
           const std::vector<const SignatureLaunches*>& b, KeyOf key_of) {
  std::map<decltype(key_of(*a.front())), MatchedLaunches> groups;
  for (const SignatureLaunches* s : a) groups[key_of(*s)].a.push_back(s);
  for (const SignatureLaunches* s : b) groups[key_of(*s)].b.push_back(s);
  return groups;
}

std::vector<const SignatureLaunches*> pointers(const std::vector<SignatureLaunches>& all) {
  std::vector<const SignatureLaunches*> out;
  for (const SignatureLaunches& s : all) out.push_back(&s);
  return out;
}

void by_falling_time(std::vector<const SignatureLaunches*>& side) {
  std::stable_sort(side.begin(), side.end(),
                   [](const auto* x, const auto* y) { return x->time_s > y->time_s; });
}

}  // namespace

std::vector<MatchedLaunches> match_kernels(const std::vector<SignatureLaunches>& a,
                                           const std::vector<SignatureLaunches>& b) {
  std::vector<MatchedLaunches> out;
  std::vector<const SignatureLaunches*> rest_a;
  std::vector<const SignatureLaunches*> rest_b;
  for (auto& [key, matched] : group(pointers(a), pointers(b), signature_key)) {
    if (!matched.a.empty() && !matched.b.empty()) {
      out.push_back(std::move(matched));
    } else {
      rest_a.insert(rest_a.end(), matched.a.begin(), matched.a.end());
      rest_b.insert(rest_b.end(), matched.b.begin(), matched.b.end());
    }
  }
  for (auto& [key, matched] : group(rest_a, rest_b, name_key)) {
    const auto add = [&out](KernelMatch match, std::vector<const SignatureLaunches*> side_a,
                            std::vector<const SignatureLaunches*> side_b) {
      by_falling_time(side_a);
      by_falling_time(side_b);
      out.push_back({match, std::move(side_a), std::move(side_b)});
    };
    if (!matched.a.empty() && !matched.b.empty()) {
      add(KernelMatch::name, matched.a, matched.b);
      continue;
    }
    // Kernels of only one run are listed by signature.
    for (const SignatureLaunches* s : matched.a) add(KernelMatch::only_a, {s}, {});
    for (const SignatureLaunches* s : matched.b) add(KernelMatch::only_b, {}, {s});
  }
  return out;
}

}  // namespace mansard::analysis
