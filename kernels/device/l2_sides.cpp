// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/l2_sides.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace mansard::kernels {
namespace {

// Latencies minus the mean of the SM and minus the mean of the line. The remainder depends only on
// whether SM and line are on the same side.
std::vector<float> interaction(const std::vector<std::uint16_t>& cycles, std::size_t sms,
                               std::size_t lines) {
  std::vector<double> of_sm(sms);
  std::vector<double> of_line(lines);
  double all = 0;
  for (std::size_t s = 0; s < sms; ++s) {
    for (std::size_t l = 0; l < lines; ++l) {
      const double c = cycles[s * lines + l];
      of_sm[s] += c / static_cast<double>(lines);
      of_line[l] += c / static_cast<double>(sms);
    }
    all += of_sm[s] / static_cast<double>(sms);
  }
  std::vector<float> rest(cycles.size());
  for (std::size_t s = 0; s < sms; ++s) {
    for (std::size_t l = 0; l < lines; ++l) {
      rest[s * lines + l] = static_cast<float>(cycles[s * lines + l] - of_sm[s] - of_line[l] + all);
    }
  }
  return rest;
}

struct Group {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  double deviation() const {
    return count > 0 ? std::sqrt(std::max(0.0, squares / count - mean() * mean())) : 0;
  }
};

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error("cannot distinguish the near from the far half of the L2: " + what +
                           ". The L2 of this device may not be split, or may keep copies of far "
                           "lines on the near side");
}

}  // namespace

L2Sides split_l2(const std::vector<std::uint16_t>& cycles, int sms, int lines) {
  const auto m = static_cast<std::size_t>(sms);
  const auto n = static_cast<std::size_t>(lines);
  if (cycles.size() != m * n || m < 2 || n < 2) {
    throw std::logic_error("split_l2: " + std::to_string(cycles.size()) + " latencies for " +
                           std::to_string(sms) + " SMs and " + std::to_string(lines) + " lines");
  }
  const std::vector<float> rest = interaction(cycles, m, n);

  // Alternating estimation: given the sides of the SMs, the score of a line is how much later the
  // SMs of side 1 receive it; given the scores, each SM gets the side that explains its latencies.
  // Averaging over all SMs and lines reveals a difference smaller than the noise of one
  // measurement.
  std::vector<double> score(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<double> lean(m);
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t s = 0; s < m; ++s) {
      lean[s] = 0;
      for (std::size_t l = 0; l < n; ++l) lean[s] += score[l] * rest[s * n + l];
    }
    score.assign(n, 0);
    for (std::size_t s = 0; s < m; ++s) {
      const double side = lean[s] > 0 ? 1.0 : -1.0;
      for (std::size_t l = 0; l < n; ++l) {
        score[l] += side * rest[s * n + l] / static_cast<double>(m);
      }
    }
  }

  L2Sides sides;
  Group below;
  Group above;
  for (std::size_t s = 0; s < m; ++s) sides.of_sm.push_back(lean[s] > 0 ? 1 : 0);
  for (std::size_t l = 0; l < n; ++l) {
    sides.of_line.push_back(score[l] > 0 ? 0 : 1);  // far from side 1 means near to side 0
    (score[l] > 0 ? above : below).add(score[l]);
  }
  Group near;
  Group far;
  for (std::size_t s = 0; s < m; ++s) {
    for (std::size_t l = 0; l < n; ++l) {
      (sides.of_sm[s] == sides.of_line[l] ? near : far).add(cycles[s * n + l]);
    }
  }
  sides.near_cycles = near.mean();
  sides.far_cycles = far.mean();

  // For a single normal distribution cut in the middle, the means of the halves are 1.3 times the
  // sum of their deviations apart; for two distinguishable groups it is at least 2.
  constexpr double kMinSeparation = 2.0;
  constexpr double kMinShare = 0.2;
  constexpr double kMinGap = 0.03;  // relative to the latency
  const double separation =
      (above.mean() - below.mean()) / std::max(1e-9, above.deviation() + below.deviation());
  char text[200];
  if (separation < kMinSeparation) {
    std::snprintf(text, sizeof text,
                  "the lines' latencies form one group (its halves are %.1f deviations apart)",
                  separation);
    refuse(text);
  }
  if (std::min(below.count, above.count) < kMinShare * static_cast<double>(n)) {
    std::snprintf(text, sizeof text, "the groups have %.0f and %.0f lines", below.count,
                  above.count);
    refuse(text);
  }
  if (sides.far_cycles - sides.near_cycles < kMinGap * sides.near_cycles) {
    std::snprintf(text, sizeof text, "latencies of %.1f and %.1f cycles differ too little",
                  sides.near_cycles, sides.far_cycles);
    refuse(text);
  }
  return sides;
}

}  // namespace mansard::kernels
