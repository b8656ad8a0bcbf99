// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/converted_gemms.h"

#include <algorithm>
#include <map>

namespace mansard::analysis {

namespace {

std::optional<Precision> main_precision(const std::vector<KernelPart>& parts) {
  std::map<Precision, double> time_s;
  for (const KernelPart& part : parts) {
    if (part.row->precision) time_s[*part.row->precision] += part.time_s;
  }
  if (time_s.empty()) return std::nullopt;
  return std::max_element(time_s.begin(), time_s.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

bool same_launch(const KernelRow& a, const KernelRow& b) {
  return a.name == b.name && a.grid == b.grid && a.block == b.block &&
         a.shared_bytes == b.shared_bytes;
}

KernelPart part_of(const KernelPart& whole, double share) {
  KernelPart part = whole;
  part.time_s *= share;
  part.launches *= share;
  part.flop *= share;
  part.sol_s *= share;
  return part;
}

// Sums FLOPs or time.
double amount(const std::vector<KernelPart>& parts, bool by_flop) {
  double sum = 0;
  for (const KernelPart& part : parts) sum += by_flop ? part.flop : part.time_s;
  return sum;
}

bool all_known(const std::vector<KernelPart>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const KernelPart& part) { return part.flop > 0; });
}

// Returns, for each baseline GEMM, the share that the candidate runs with the same kernel.
std::vector<double> kept_shares(const std::vector<KernelPart>& baseline,
                                const std::vector<KernelPart>& kept,
                                std::vector<KernelPart>& unmatched) {
  std::vector<double> shares(baseline.size(), 0);
  for (const KernelPart& part : kept) {
    double left = 1;  // share of `part` not yet matched
    for (std::size_t i = 0; i < baseline.size() && left > 0; ++i) {
      if (!same_launch(*baseline[i].row, *part.row)) continue;
      // Prefer FLOPs: a persistent kernel has the same grid for every GEMM shape.
      const bool by_flop = part.flop > 0 && baseline[i].flop > 0;
      const double whole = by_flop ? baseline[i].flop : baseline[i].launches;
      const double wanted = by_flop ? part.flop : part.launches;
      if (!(whole > 0) || !(wanted > 0)) continue;
      const double share = std::min(1 - shares[i], left * wanted / whole);
      shares[i] += share;
      left -= share * whole / wanted;
    }
    // A smaller remainder is rounding of the means over steps, not a launch.
    if (left > 1e-6) unmatched.push_back(part_of(part, left));
  }
  return shares;
}

}  // namespace

ConvertedGemms convert_gemms(const std::vector<KernelPart>& baseline,
                             const std::vector<KernelPart>& candidate) {
  ConvertedGemms out;
  out.baseline = main_precision(baseline);
  for (const KernelPart& part : candidate) {
    const bool lower = out.baseline && part.row->precision &&
                       info(*part.row->precision).bits < info(*out.baseline).bits;
    (lower ? out.converted : out.kept).push_back(part);
  }
  out.candidate = main_precision(out.converted);
  if (out.converted.empty()) {
    out.baseline_kept = baseline;
    return out;
  }
  std::vector<KernelPart> unmatched;
  std::vector<double> shares = kept_shares(baseline, out.kept, unmatched);
  std::vector<KernelPart> rest;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    rest.push_back(part_of(baseline[i], 1 - shares[i]));
  }
  if (!unmatched.empty()) {
    const bool by_flop = all_known(unmatched) && all_known(baseline);
    const double whole = amount(rest, by_flop);
    const double kept = whole > 0 ? std::min(1.0, amount(unmatched, by_flop) / whole) : 0;
    for (double& share : shares) share += (1 - share) * kept;
    if (!by_flop) {
      out.note =
          "FLOPs of some GEMMs are unknown, so the share of the baseline's GEMM time that stays in "
          "high precision is estimated from times.";
    }
  }
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    if (shares[i] > 0) out.baseline_kept.push_back(part_of(baseline[i], shares[i]));
    if (shares[i] < 1) out.baseline_converted.push_back(part_of(baseline[i], 1 - shares[i]));
  }
  return out;
}

}  // namespace mansard::analysis
