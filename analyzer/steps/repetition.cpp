// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/repetition.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "support/statistics.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMinPatterns = 3;
constexpr std::size_t kMinUnmarked = 10;  // if nothing marks the main loop
constexpr double kMinCovered = 0.65;      // of the busy time between the bounds
constexpr double kNegligible = 5e-3;      // of the score: then the shorter segments win
constexpr std::size_t kManyKernels = 16;  // different ones in a step of a usual model
constexpr std::size_t kMaxPaired = 20'000;
constexpr std::size_t kMaxAnchors = 40;  // that are evaluated
constexpr std::size_t kAnchorsAlike = 2;

// Where an anchor occurs, and how much of the sequence it divides regularly.
struct Anchor {
  Indices at;
  bool is_pair = false;
  std::size_t median_gap = 0;
  double regular = 0;
};

// The positions of each value that occurs often enough to divide a sequence.
template <class Value>
std::vector<Indices> positions(const std::vector<Value>& values) {
  std::unordered_map<Value, std::uint32_t> count;
  for (const Value& value : values) ++count[value];
  std::unordered_map<Value, std::size_t> slot;
  std::vector<Indices> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t n = count[values[i]];
    if (n < kMinPatterns) continue;
    const auto [known, is_new] = slot.try_emplace(values[i], all.size());
    if (is_new) all.emplace_back().reserve(n);
    all[known->second].push_back(static_cast<std::uint32_t>(i));
  }
  return all;
}

// The anchors that divide most of the sequence into segments of similar length.
std::vector<Anchor> anchors_of(const Sequence& sequence) {
  // Steps with more different kernels do not need pairs, which would take seconds.
  const bool use_pairs = sequence.hash.size() <= kMaxPaired;
  std::vector<std::uint64_t> pairs(use_pairs ? sequence.size() : 0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint64_t before = i == 0 ? UINT32_MAX : sequence.id[i - 1];
    pairs[i] = before << 32 | sequence.id[i];
  }
  std::vector<Anchor> anchors;
  const auto add = [&](std::vector<Indices> all, bool are_pairs) {
    for (Indices& at : all) {
      Anchor anchor;
      anchor.is_pair = are_pairs;
      std::vector<std::size_t> gaps(at.size() - 1);
      for (std::size_t i = 0; i + 1 < at.size(); ++i) gaps[i] = at[i + 1] - at[i];
      anchor.median_gap = lower_median(gaps);
      if (anchor.median_gap < 2 && !sequence.items[at.front()].is_graph) continue;
      for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        const auto gap = static_cast<double>(at[i + 1] - at[i]);
        const auto middle = static_cast<double>(anchor.median_gap);
        if (gap > 0.8 * middle && gap < 1.25 * middle) {
          anchor.regular += sequence.weight(at[i], at[i + 1]);
        }
      }
      anchor.at = std::move(at);
      anchors.push_back(std::move(anchor));
    }
  };
  add(positions(sequence.id), false);
  add(positions(pairs), true);
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const Anchor& a, const Anchor& b) { return a.regular > b.regular; });
  // The kernels that occur once per step are equally good: two of them are enough.
  std::map<std::tuple<bool, std::size_t, std::size_t>, std::size_t> alike;
  std::erase_if(anchors, [&](const Anchor& anchor) {
    return ++alike[{anchor.is_pair, anchor.at.size(), anchor.median_gap}] > kAnchorsAlike;
  });
  if (anchors.size() > kMaxAnchors) anchors.resize(kMaxAnchors);
  return anchors;
}

// A division of the sequence, and the segment that represents the others.
struct Segmentation {
  Indices at;
  std::size_t begin = 0;  // of the reference segment
  std::size_t end = 0;
  std::size_t equal = 0;
  double covered = 0;  // busy time that the segments have in common with the reference
  double known = 0;    // busy time of all launches in them that occur in the reference
  double weight = 1;   // less for few different kernels
};

std::uint64_t hash_of(const Sequence& sequence, std::size_t begin, std::size_t end) {
  std::uint64_t sum = 0;  // does not depend on the order
  for (std::size_t i = begin; i < end; ++i) sum += sequence.hash[sequence.id[i]];
  return sum;
}

// The segment whose items occur in most segments; if few are alike, one of median length.
std::size_t reference_segment(const Sequence& sequence, const Indices& at) {
  struct Group {
    std::size_t first = 0;
    double weight = 0;
  };
  std::unordered_map<std::uint64_t, Group> groups;
  double total = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double weight = sequence.weight(at[i], at[i + 1]);
    const auto [group, is_new] = groups.try_emplace(hash_of(sequence, at[i], at[i + 1]), Group{i});
    group->second.weight += weight;
    total += weight;
  }
  const Group* best = nullptr;
  for (const auto& [hash, group] : groups) {
    if (best == nullptr || group.weight > best->weight ||
        (group.weight == best->weight && group.first < best->first)) {
      best = &group;
    }
  }
  if (best->weight > 0.3 * total) return best->first;
  std::vector<std::size_t> by_length(at.size() - 1);
  for (std::size_t i = 0; i < by_length.size(); ++i) by_length[i] = i;
  const auto middle = by_length.begin() + static_cast<std::ptrdiff_t>(by_length.size() / 2);
  std::nth_element(by_length.begin(), middle, by_length.end(), [&](std::size_t a, std::size_t b) {
    return at[a + 1] - at[a] < at[b + 1] - at[b];
  });
  return *middle;
}

std::optional<Segmentation> evaluate(const Sequence& sequence, const Anchor& anchor,
                                     double min_equal) {
  const Indices& at = anchor.at;
  const std::size_t reference = reference_segment(sequence, at);
  Segmentation division{at, at[reference], at[reference + 1]};
  Multiset multiset(sequence);
  multiset.assign(division.begin, division.end);
  if (multiset.distinct() < 2 && !sequence.items[division.begin].is_graph) return std::nullopt;
  Comparison comparison(sequence, multiset, min_equal);
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const Overlap overlap = comparison.of(at[i], at[i + 1]);
    // The kernels of an evaluation after a step occur in the step too; those of the optimizer after
    // a micro-batch do not occur in the micro-batch.
    if (!comparison.contains_most(overlap)) continue;
    division.equal += comparison.is_equal(at[i], at[i + 1], overlap) ? 1 : 0;
    division.covered += overlap.weight;
    division.known += overlap.known_weight;
  }
  if (division.equal + 1 < kMinPatterns) return std::nullopt;
  // The work before the first and after the last occurrence, up to one repetition each.
  const std::size_t length = division.end - division.begin;
  const std::size_t head = at.front() > length ? at.front() - length : 0;
  for (const Overlap& overlap :
       {comparison.of(head, at.front()),
        comparison.of(at.back(), std::min(sequence.size(), at.back() + length))}) {
    division.covered += overlap.weight;
    division.known += overlap.known_weight;
  }
  // A loop around few kernels may be a benchmark of them: steps have more, or a graph has them.
  bool has_graph = false;
  for (std::size_t i = division.begin; i < division.end; ++i) {
    has_graph = has_graph || sequence.items[i].is_graph;
  }
  const std::size_t kernels = has_graph ? kManyKernels : multiset.distinct();
  division.weight = std::min(1.0, static_cast<double>(kernels) / static_cast<double>(kManyKernels));
  return division;
}

// Offset in the reference segment of the item before which the device is idle longest: the host
// prepares a step there, or has waited for the last one. Nothing if the device is never idle.
std::optional<std::size_t> offset_after_idle(const Sequence& sequence,
                                             const Segmentation& division) {
  const std::size_t length = division.end - division.begin;
  const std::uint64_t hash = hash_of(sequence, division.begin, division.end);
  std::vector<std::size_t> begins;  // of segments with the same items
  for (std::size_t i = 0; i + 1 < division.at.size(); ++i) {
    if (division.at[i + 1] - division.at[i] != length) continue;
    if (hash_of(sequence, division.at[i], division.at[i + 1]) == hash) {
      begins.push_back(division.at[i]);
    }
  }
  // A few dozen segments are enough for a median.
  const std::size_t stride = begins.size() / 64 + 1;
  std::optional<std::size_t> best;
  std::int64_t longest_ns = 0;
  std::vector<std::int64_t> idle_ns;
  for (std::size_t offset = 0; offset < length && !begins.empty(); ++offset) {
    idle_ns.clear();
    for (std::size_t i = 0; i < begins.size(); i += stride) {
      idle_ns.push_back(sequence.items[begins[i] + offset].idle_before_ns);
    }
    const std::int64_t middle_ns = lower_median(idle_ns);
    if (middle_ns > longest_ns) {
      longest_ns = middle_ns;
      best = offset;
    }
  }
  return best;
}

// The offset with which the last repetition ends with the last item that occurs in repetitions.
std::size_t offset_from_end(const Sequence& sequence, const Segmentation& division,
                            const Multiset& reference) {
  std::size_t end = sequence.size();
  while (end > division.at.back() + 1 && !reference.contains(sequence.id[end - 1])) --end;
  return (end - division.at.back()) % (division.end - division.begin);
}

// Start of each repetition: in each segment, the position that corresponds to `offset` in the
// reference, counted from the nearest item that occurs once per segment.
Indices starts_of(const Sequence& sequence, const Segmentation& division, const Multiset& reference,
                  std::size_t offset) {
  const std::size_t length = division.end - division.begin;
  std::size_t mark = 0;  // the anchor
  const auto distance = [offset](std::size_t at) {
    return at > offset ? at - offset : offset - at;
  };
  for (std::size_t i = 0; i < length; ++i) {
    if (reference.count(sequence.id[division.begin + i]) == 1 && distance(i) < distance(mark)) {
      mark = i;
    }
  }
  Indices marks = mark == 0 ? division.at : Indices();
  for (std::size_t i = 0; i < sequence.size() && mark != 0; ++i) {
    if (sequence.id[i] == sequence.id[division.begin + mark]) {
      marks.push_back(static_cast<std::uint32_t>(i));
    }
  }
  struct Start {
    std::int64_t at;
    bool has_mark;
  };
  std::vector<Start> candidates;
  const auto half = static_cast<std::int64_t>(length / 2);
  const auto propose = [&](std::int64_t expected_mark) {
    // Where streams interleave differently, the mark is a few items away from where it was.
    std::int64_t marked = expected_mark;
    std::int64_t nearest = half;
    const auto after = std::lower_bound(marks.begin(), marks.end(), expected_mark);
    for (auto at = after == marks.begin() ? after : after - 1; at != marks.end() && at <= after;
         ++at) {
      const std::int64_t away = std::abs(std::int64_t{*at} - expected_mark);
      if (away >= nearest) continue;
      nearest = away;
      marked = *at;
    }
    const std::int64_t start =
        marked + static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(mark);
    if (start < 0 || start >= static_cast<std::int64_t>(sequence.size())) return;
    candidates.push_back({start, nearest < half});
  };
  // The step of an anchor may start before it, and the previous one may have no anchor.
  for (const std::uint32_t begin : division.at) {
    const std::int64_t expected = std::int64_t{begin} + static_cast<std::int64_t>(mark);
    propose(expected - static_cast<std::int64_t>(length));
    propose(expected);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Start& a, const Start& b) { return a.at < b.at; });
  Indices starts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::int64_t at = candidates[i].at;
    if (!starts.empty() && at == starts.back()) continue;
    // Those without a mark fill gaps only.
    const bool follows = !starts.empty() && at - starts.back() < half;
    const bool precedes = i + 1 < candidates.size() && candidates[i + 1].at - at < half;
    if (!candidates[i].has_mark && (follows || precedes)) continue;
    starts.push_back(static_cast<std::uint32_t>(at));
  }
  return starts;
}

// The repetitions that start at `offset` in the segments of a division: from the first to the last
// that is equal to the reference.
std::optional<Repetition> repetition_at(const Sequence& sequence, const Segmentation& division,
                                        const Multiset& reference, std::size_t offset,
                                        double min_equal) {
  const std::size_t length = division.end - division.begin;
  Indices starts = starts_of(sequence, division, reference, offset);
  Comparison comparison(sequence, reference, min_equal);
  const auto end_of = [&](std::size_t i) {
    // Work after a whole repetition is part of it, but not after the last one.
    const std::size_t whole = std::min(sequence.size(), starts[i] + length);
    return i + 1 < starts.size() ? std::size_t{starts[i + 1]} : whole;
  };
  const auto is_equal = [&](std::size_t i) {
    return comparison.is_equal(starts[i], end_of(i), comparison.of(starts[i], end_of(i)));
  };
  // The first step may do more than the others: compile, tune kernels, allocate.
  std::size_t before_equal = 0;
  while (before_equal < starts.size() && !is_equal(before_equal)) ++before_equal;
  if (before_equal == starts.size()) return std::nullopt;
  starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(before_equal));
  if (const auto first = comparison.step_before(starts.front())) {
    starts.insert(starts.begin(), *first);
  }
  Repetition found;
  found.items = length;
  found.different = reference.distinct();
  double covered = 0;
  std::size_t first_equal = 0;
  std::size_t end = 0;  // of the last equal repetition
  std::size_t count = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t next = end_of(i);
    const Overlap overlap = comparison.of(starts[i], next);
    const bool equal = comparison.is_equal(starts[i], next, overlap);
    // Less than a repetition is other work after the previous one.
    if (!comparison.contains_most(overlap)) continue;
    found.bounds.push_back(starts[i]);
    if (!equal) continue;
    if (found.equal++ == 0) first_equal = starts[i];
    covered += overlap.weight;
    end = next;
    count = found.bounds.size();
  }
  if (found.equal < kMinPatterns) return std::nullopt;
  found.bounds.resize(count);
  found.bounds.push_back(end);
  found.covered = covered / sequence.weight(first_equal, end);
  if (found.covered < kMinCovered) return std::nullopt;
  return found;
}

// A program that waits for the device is idle at the end of a step; one that does not may be idle
// anywhere, but it ends with a whole step.
std::optional<Repetition> repetition_of(const Sequence& sequence, const Segmentation& division,
                                        const Multiset& reference, double min_equal) {
  std::optional<Repetition> found = repetition_at(
      sequence, division, reference, offset_from_end(sequence, division, reference), min_equal);
  if (const auto offset = offset_after_idle(sequence, division)) {
    std::optional<Repetition> other =
        repetition_at(sequence, division, reference, *offset, min_equal);
    if (!found || (other && other->bounds.size() >= found->bounds.size())) found = other;
  }
  return found;
}

// Whether the repetitions are the layers of a single pass: nothing in most of them starts an
// iteration of the program's main loop, and they are few, or other work precedes and follows them.
bool are_layers(const Sequence& sequence, const Repetition& found, const Multiset& reference) {
  const std::size_t count = found.bounds.size() - 1;
  std::size_t marked = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool marks = false;
    for (std::size_t at = found.bounds[i]; at < found.bounds[i + 1] && !marks; ++at) {
      marks = sequence.items[at].marks_loop && reference.contains(sequence.id[at]);
    }
    marked += marks ? 1 : 0;
  }
  if (2 * marked >= count) return false;
  if (count < kMinUnmarked) return true;
  const auto has_other = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!sequence.items[i].marks_loop && !reference.contains(sequence.id[i])) return true;
    }
    return false;
  };
  return has_other(0, found.bounds.front()) && has_other(found.bounds.back(), sequence.size());
}

// Whether `a` is a better division than `b`.
bool is_better(const Segmentation& a, const Segmentation& b) {
  const auto length_a = static_cast<double>(a.end - a.begin);
  const auto length_b = static_cast<double>(b.end - b.begin);
  // Segments of similar length differ in what their anchors cut off. Otherwise one is a part of the
  // other, such as a micro-batch of a step, or a step of those between two evaluations.
  const bool similar = std::max(length_a, length_b) < 1.5 * std::min(length_a, length_b);
  const double score_a = a.weight * (similar ? a.covered : a.known);
  const double score_b = b.weight * (similar ? b.covered : b.known);
  const double tolerance = length_a < length_b ? -kNegligible : kNegligible;
  return score_a > score_b * (1 + tolerance);
}

}  // namespace

std::optional<Repetition> find_repetition(std::span<const SequenceItem> items, double min_equal) {
  if (items.size() < kMinPatterns) return std::nullopt;
  const Sequence sequence(items);
  std::vector<Segmentation> divisions;
  for (const Anchor& anchor : anchors_of(sequence)) {
    if (std::optional<Segmentation> division = evaluate(sequence, anchor, min_equal)) {
      divisions.push_back(std::move(*division));
    }
  }
  Multiset reference(sequence);
  while (!divisions.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < divisions.size(); ++i) {
      if (is_better(divisions[i], divisions[best])) best = i;
    }
    reference.assign(divisions[best].begin, divisions[best].end);
    const std::optional<Repetition> found =
        repetition_of(sequence, divisions[best], reference, min_equal);
    if (found) return are_layers(sequence, *found, reference) ? std::nullopt : found;
    divisions.erase(divisions.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return std::nullopt;
}

}  // namespace mansard::analysis
