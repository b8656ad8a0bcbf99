// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/zoom_axis.h"

#include <cmath>
#include <cstdlib>

namespace mansard::figure {
namespace {

// From an axis of 40 decades on a small screen to the smallest part of a decade on a large one.
constexpr double kZoomAxisLeast_px = 4;
constexpr double kMost_px = 50'000;

// The ticks between two digits, or within the decade, as runs of equal steps.
void append(std::vector<TickRun>& runs, const std::vector<Tick>& ticks, double below) {
  for (const Tick& t : ticks) {
    if (t.value > below * (1 - 1e-9)) continue;
    const bool labeled = !t.label.empty();
    if (!runs.empty() && runs.back().major == t.decade && runs.back().labeled == labeled) {
      TickRun& last = runs.back();
      const double step = t.value - (last.first + (last.count - 1) * last.step);
      if (last.count == 1 || std::fabs(step - last.step) < 1e-9) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    runs.push_back({t.value, 0, 1, t.decade, labeled});
  }
}

bool same(const TickLevel& a, const TickLevel& b) {
  if (a.every != b.every || a.runs.size() != b.runs.size()) return false;
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    const TickRun& p = a.runs[i];
    const TickRun& q = b.runs[i];
    if (p.count != q.count || p.major != q.major || p.labeled != q.labeled) return false;
    if (std::fabs(p.first - q.first) > 1e-9 || std::fabs(p.step - q.step) > 1e-9) return false;
  }
  return true;
}

// Every n-th decade is labeled if decades are too narrow.
int labeled_decades(double decade_px, double gap_px) {
  constexpr int kDecades = 100;
  const LogScale scale(1, std::pow(10.0, kDecades), 0, kDecades * decade_px);
  int first = -1;
  for (const Tick& t : ticks(scale, TickLabels::number, gap_px)) {
    if (t.label.empty()) continue;
    const int exponent = static_cast<int>(std::lround(std::log10(t.value)));
    if (first >= 0 && exponent > first) return exponent - first;
    first = exponent;
  }
  return kDecades;
}

}  // namespace

std::vector<TickLevel> tick_levels(double label_gap_px) {
  std::vector<TickLevel> levels;
  for (double px = kZoomAxisLeast_px; px < kMost_px; px *= 2) {
    TickLevel level{px, labeled_decades(px, label_gap_px), {}};
    for (int digit = 1; digit <= 9; ++digit) {
      const double low = std::log10(digit) * px;
      const double high = std::log10(digit + 1) * px;
      const auto between =
          ticks(LogScale(digit, digit + 1, low, high), TickLabels::number, label_gap_px);
      append(level.runs, between, digit + 1);
    }
    if (levels.empty() || !same(level, levels.back())) levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<DecadeLabel> decade_labels(int first, int last, TickLabels labels) {
  std::vector<DecadeLabel> out;
  for (int exponent = first; exponent <= last; ++exponent) {
    const std::string text = tick_label(std::pow(10.0, exponent), labels);
    const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
    out.push_back({exponent, std::atof(text.substr(0, number).c_str()), text.substr(number)});
  }
  return out;
}

}  // namespace mansard::figure
