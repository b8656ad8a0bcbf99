// SPDX-License-Identifier: Apache-2.0
#include "analyzer/activity.h"

#include <algorithm>
#include <limits>

namespace mansard::analysis {

namespace {

// Takes intervals in the order of their starts.
class IntervalUnion {
 public:
  explicit IntervalUnion(const DisturbedTime& disturbed) : disturbed_(disturbed) {}

  void add(std::int64_t start_ns, std::int64_t end_ns) {
    if (!any_) {
      first_ns_ = end_ns_ = start_ns;
      any_ = true;
    }
    const std::int64_t from_ns = std::max(start_ns, end_ns_);
    if (end_ns > from_ns) busy_ns_ += end_ns - from_ns - disturbed_ns(from_ns, end_ns);
    end_ns_ = std::max(end_ns_, end_ns);
  }

  Activity result() const {
    const std::int64_t span_ns = end_ns_ - first_ns_ - disturbed_ns(first_ns_, end_ns_);
    return {static_cast<double>(busy_ns_) * 1e-9, static_cast<double>(span_ns) * 1e-9};
  }

 private:
  std::int64_t disturbed_ns(std::int64_t start_ns, std::int64_t end_ns) const {
    return disturbed_.any() ? disturbed_.disturbed_ns(start_ns, end_ns) : 0;
  }

  const DisturbedTime& disturbed_;
  bool any_ = false;
  std::int64_t first_ns_ = 0;
  std::int64_t end_ns_ = 0;  // the latest so far
  std::int64_t busy_ns_ = 0;
};

}  // namespace

bool has_device_activity(const store::Profile& profile) {
  return !profile.kernels.empty() || !profile.memcpys.empty() || !profile.memsets.empty() ||
         !profile.graphs.empty();
}

Activity device_activity(const store::Profile& profile, const DisturbedTime& disturbed) {
  IntervalUnion all(disturbed);
  std::size_t kernel = 0;
  std::size_t copy = 0;
  std::size_t fill = 0;
  std::size_t graph = 0;
  // Merges four ordered lists; each `take` is called while its list holds the earliest start.
  const auto earliest = [&](const auto& rows, std::size_t i, std::int64_t start_ns) {
    return i < rows.size() && rows[i].start_ns <= start_ns;
  };
  const auto start = [](const auto& rows, std::size_t i) {
    return i < rows.size() ? rows[i].start_ns : std::numeric_limits<std::int64_t>::max();
  };
  const auto take = [&](const auto& rows, std::size_t& i) {
    if (store::has_times(rows[i].start_ns, rows[i].end_ns))
      all.add(rows[i].start_ns, rows[i].end_ns);
    ++i;
  };
  while (kernel < profile.kernels.size() || copy < profile.memcpys.size() ||
         fill < profile.memsets.size() || graph < profile.graphs.size()) {
    const std::int64_t next_ns =
        std::min({start(profile.kernels, kernel), start(profile.memcpys, copy),
                  start(profile.memsets, fill), start(profile.graphs, graph)});
    if (earliest(profile.kernels, kernel, next_ns)) {
      take(profile.kernels, kernel);
    } else if (earliest(profile.memcpys, copy, next_ns)) {
      take(profile.memcpys, copy);
    } else if (earliest(profile.memsets, fill, next_ns)) {
      take(profile.memsets, fill);
    } else {
      take(profile.graphs, graph);
    }
  }
  return all.result();
}

Activity range_activity(const Attribution& attribution) {
  const DisturbedTime nothing;
  IntervalUnion all(nothing);
  for (const AttributedRange& range : attribution.ranges) all.add(range.start_ns, range.end_ns);
  return all.result();
}

}  // namespace mansard::analysis
