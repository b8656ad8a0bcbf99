// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/graph_shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "analyzer/kernel_signature.h"

namespace mansard::analysis {

namespace {

struct ModeledLaunch {
  std::int64_t start_ns = 0;
  std::size_t kernel = 0;  // into Profile::kernels
};

// The launches of a signature by step of each device, in order.
using ModeledLaunchesBySteps =
    std::map<std::pair<std::int32_t, std::size_t>, std::vector<ModeledLaunch>>;

class GraphShares {
 public:
  GraphShares(const store::Profile& profile, const Attribution& attribution,
              std::vector<KernelShare>& shares)
      : profile_(profile), attribution_(attribution), shares_(shares) {}

  void add(const std::vector<Steps>& steps) {
    std::unordered_map<KernelSignature, std::optional<KernelShare>, KernelSignatureHash> lacking;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (lacks(i)) lacking.try_emplace(signature_of(profile_.kernels[i]));
    }
    if (lacking.empty()) return;
    std::map<KernelSignature, ModeledLaunchesBySteps> ambiguous;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (!is_modeled(i)) continue;
      const auto of_signature = lacking.find(signature_of(profile_.kernels[i]));
      if (of_signature == lacking.end()) continue;
      if (!of_signature->second) {
        of_signature->second = shares_[i];
      } else if (!equal(*of_signature->second, shares_[i])) {
        ambiguous.try_emplace(of_signature->first);
      }
    }
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (!lacks(i)) continue;
      const KernelSignature signature = signature_of(profile_.kernels[i]);
      const std::optional<KernelShare>& known = lacking.at(signature);
      if (known && !ambiguous.contains(signature)) shares_[i] = *known;
    }
    if (!ambiguous.empty()) add_by_place(steps, ambiguous);
  }

 private:
  bool lacks(std::size_t kernel) const {
    return shares_[kernel].range < 0 && profile_.kernels[kernel].graph_node_id != 0;
  }
  const kernels::WorkAnnotation& work(const KernelShare& share) const {
    return *attribution_.ranges[static_cast<std::size_t>(share.range)].work;
  }
  bool is_modeled(std::size_t kernel) const {
    const KernelShare& share = shares_[kernel];
    return share.range >= 0 && profile_.kernels[kernel].graph_node_id == 0 && work(share).modeled &&
           has_amounts(work(share));
  }
  // Up to 1 %.
  bool equal(const KernelShare& a, const KernelShare& b) const {
    const auto amounts = [&](const KernelShare& share) {
      double bytes = 0;
      for (const auto& [level, of_level] : work(share).bytes) bytes += of_level;
      return std::pair(work(share).flop * share.fraction, bytes * share.fraction);
    };
    const auto similar = [](double x, double y) {
      return std::abs(x - y) <= 0.01 * std::max(x, y);
    };
    const auto [flop_a, bytes_a] = amounts(a);
    const auto [flop_b, bytes_b] = amounts(b);
    return similar(flop_a, flop_b) && similar(bytes_a, bytes_b);
  }

  void add_by_place(const std::vector<Steps>& steps,
                    std::map<KernelSignature, ModeledLaunchesBySteps>& ambiguous) {
    for (const Steps& device : steps) {
      if (device.origin == StepOrigin::whole) continue;
      for (std::size_t i = 0; i < profile_.kernels.size(); ++i) {
        const store::KernelRecord& kernel = profile_.kernels[i];
        if (kernel.device_id != device.device_id) continue;
        const auto placed = ambiguous.find(signature_of(kernel));
        if (placed == ambiguous.end()) continue;
        if (const auto step = step_at(device.steps, kernel.start_ns)) {
          placed->second[{device.device_id, *step}].push_back({kernel.start_ns, i});
        }
      }
    }
    for (auto& [signature, by_step] : ambiguous) {
      const std::vector<ModeledLaunch>* known = nullptr;
      for (auto& [step, launches] : by_step) {
        std::stable_sort(
            launches.begin(), launches.end(),
            [](const ModeledLaunch& a, const ModeledLaunch& b) { return a.start_ns < b.start_ns; });
        const bool all = std::ranges::all_of(
            launches, [&](const ModeledLaunch& l) { return is_modeled(l.kernel); });
        if (all) known = &launches;
      }
      if (known == nullptr) continue;
      for (const auto& [step, launches] : by_step) {
        if (launches.size() != known->size()) continue;
        for (std::size_t n = 0; n < launches.size(); ++n) {
          if (lacks(launches[n].kernel)) {
            shares_[launches[n].kernel] = shares_[(*known)[n].kernel];
          }
        }
      }
    }
  }

  const store::Profile& profile_;
  const Attribution& attribution_;
  std::vector<KernelShare>& shares_;
};

}  // namespace

void add_shares_of_graphs(const store::Profile& profile, const Attribution& attribution,
                          const std::vector<Steps>& steps, std::vector<KernelShare>& shares) {
  if (!attribution.ranges.empty()) GraphShares(profile, attribution, shares).add(steps);
}

}  // namespace mansard::analysis
