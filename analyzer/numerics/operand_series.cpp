// SPDX-License-Identifier: Apache-2.0
#include "analyzer/numerics/operand_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "analyzer/numerics/training_curve.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

using kernels::TensorNumerics;

// Below this share, elements that became zero do not explain a low SNR.
constexpr double kNotableUnderflow = 0.01;

void summarize(OperandSeries& series, const store::Profile& profile) {
  std::vector<double> snr;
  std::array<double, 3> shares{};
  std::size_t with_shares = 0;
  series.largest_amax = std::numeric_limits<double>::quiet_NaN();
  const auto keep_most = [&](std::optional<std::size_t>& most, std::size_t i, auto member) {
    const auto value = [&](std::size_t at) { return profile.tensor_numerics[at].numerics.*member; };
    if (value(i) && (!most || *value(i) > *value(*most))) most = i;
  };
  for (const std::size_t i : series.records) {
    const TensorNumerics& numerics = profile.tensor_numerics[i].numerics;
    if (numerics.snr_db) {
      snr.push_back(*numerics.snr_db);
      const std::optional<std::size_t>& lowest = series.lowest_snr;
      if (!lowest || *numerics.snr_db < *profile.tensor_numerics[*lowest].numerics.snr_db) {
        series.lowest_snr = i;
      }
    }
    keep_most(series.most_underflow, i, &TensorNumerics::underflow);
    keep_most(series.most_saturated, i, &TensorNumerics::saturated);
    series.largest_amax = std::fmax(series.largest_amax, numerics.amax);  // ignores NaN
    if (!numerics.shares) continue;
    ++with_shares;
    for (std::size_t k = 0; k < shares.size(); ++k) shares[k] += (*numerics.shares)[k];
  }
  if (!snr.empty()) series.median_snr_db = median(snr);
  if (with_shares == 0) return;
  for (double& share : shares) share /= static_cast<double>(with_shares);
  series.shares = shares;
}

}  // namespace

std::vector<OperandSeries> operand_series(const store::Profile& profile) {
  using Key =
      std::tuple<std::string_view, std::string_view, std::string_view, std::optional<Precision>>;
  std::map<Key, std::size_t> known;
  std::vector<OperandSeries> all;
  for (std::size_t i = 0; i < profile.tensor_numerics.size(); ++i) {
    const TensorNumerics& n = profile.tensor_numerics[i].numerics;
    const auto [at, is_new] = known.try_emplace({n.layer, n.tensor, n.gemm, n.format}, all.size());
    if (is_new) {
      OperandSeries& series = all.emplace_back();
      series.layer = n.layer;
      series.tensor = n.tensor;
      series.gemm = n.gemm;
      series.format = n.format;
    }
    all[at->second].records.push_back(i);
  }
  for (OperandSeries& series : all) summarize(series, profile);
  std::ranges::stable_sort(all, {}, [&](const OperandSeries& series) {
    return series.lowest_snr ? *profile.tensor_numerics[*series.lowest_snr].numerics.snr_db
                             : std::numeric_limits<double>::infinity();
  });
  return all;
}

std::vector<OperandGroup> operand_groups(const store::Profile& profile,
                                         const std::vector<OperandSeries>& series) {
  std::vector<OperandGroup> groups;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const OperandSeries& operand = series[i];
    if (!operand.lowest_snr) continue;
    auto group = std::ranges::find_if(groups, [&](const OperandGroup& g) {
      return g.tensor == operand.tensor && g.gemm == operand.gemm && g.format == operand.format;
    });
    if (group == groups.end()) {
      groups.push_back({operand.tensor, operand.gemm, operand.format, {}, 0});
      group = groups.end() - 1;
    }
    group->series.push_back(i);
  }
  for (OperandGroup& group : groups) {
    std::vector<double> snr;
    for (const std::size_t i : group.series) {
      for (const std::size_t record : series[i].records) {
        const std::optional<double>& value = profile.tensor_numerics[record].numerics.snr_db;
        if (value) snr.push_back(*value);
      }
    }
    group.median_snr_db = median(std::move(snr));
  }
  std::ranges::stable_sort(groups, {}, &OperandGroup::median_snr_db);
  return groups;
}

std::vector<GroupSnr> snr_by_step(const store::Profile& profile,
                                  const std::vector<OperandSeries>& series,
                                  const OperandGroup& group) {
  std::map<std::int64_t, std::vector<double>> steps;
  for (const std::size_t i : group.series) {
    for (const std::size_t record : series[i].records) {
      const TensorNumerics& numerics = profile.tensor_numerics[record].numerics;
      if (numerics.snr_db) steps[numerics.step].push_back(*numerics.snr_db);
    }
  }
  std::vector<GroupSnr> all;
  for (auto& [step, snr] : steps) {
    const auto [low, high] = std::ranges::minmax(snr);
    all.push_back({step, median_in_place(snr), low, high});
  }
  return all;
}

std::string format_text(const std::optional<Precision>& format) {
  return format ? std::string(info(*format).label) : "several formats";
}

std::string operand_text(const OperandSeries& series) {
  return series.tensor + " in " + series.gemm + " of " + series.layer;
}

std::string lowest_snr_text(const store::Profile& profile,
                            const std::vector<OperandSeries>& series) {
  if (series.empty() || !series.front().lowest_snr) return {};
  const OperandSeries& worst = series.front();
  const TensorNumerics& record = profile.tensor_numerics[*worst.lowest_snr].numerics;
  std::string text = operand_text(worst) + ", " + format_plain(*record.snr_db) +
                     " dB in " + format_text(worst.format) + " at " + step_text(record.step);
  if (record.underflow.value_or(0) >= kNotableUnderflow) {
    text += "; " + format_percent(*record.underflow) + " of its nonzero elements became zero";
  }
  return text + ".";
}

}  // namespace mansard::analysis
