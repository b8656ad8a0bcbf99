// SPDX-License-Identifier: Apache-2.0
// Finds the steps of a program without step markers: the longest stretch of a device's activities
// that consists of repetitions of the same set of launches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/steps/launch_sequence.h"

namespace mansard::analysis {

struct Repetition {
  // Index of the first item of each repetition, and one past the last item of the last one. Other
  // work between two repetitions, such as an evaluation, belongs to the earlier one.
  std::vector<std::size_t> bounds;
  std::size_t items = 0;      // items of a typical repetition
  std::size_t different = 0;  // signatures of these
  std::size_t equal = 0;  // repetitions with at least `min_equal` of these items, and few others
  double covered = 0;     // share of the busy time between the bounds that the equal ones repeat
};

// Returns nothing unless a set of launches repeats at least three times in a row. A single kernel
// that repeats is not a step, nor are the layers within a single pass of a model: fewer than ten
// repetitions without SequenceItem::marks_loop, or repetitions that other kernels precede and
// follow.
//
// Method: an item, or a pair of consecutive items, that occurs once per step divides the sequence
// into segments. Each such anchor is evaluated by the busy time of the items that its equal
// segments repeat; the best one wins, and of almost equal ones that with the shortest segments. So
// start-up work, recompilation, an evaluation or a log message every few steps do not hide the
// steps, and neither layers nor micro-batches, which leave out the optimizer, are taken for steps.
// Items are compared as multisets: concurrent streams may interleave differently in each step.
// `min_equal`: share of the items that equal repetitions have in common. Linear in the items.
std::optional<Repetition> find_repetition(std::span<const SequenceItem> items,
                                          double min_equal = 0.9);

}  // namespace mansard::analysis
