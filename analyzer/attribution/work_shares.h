// SPDX-License-Identifier: Apache-2.0
// Divides the work of an annotated range among the kernels launched in it.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/classify/kernel_names.h"

namespace mansard::analysis {

struct KernelShare {
  std::int32_t range = -1;  // index into Attribution::ranges; -1: no work
  double fraction = 0;      // of that range's work
  // Fraction of its FLOPs, for a kernel whose FLOPs were not counted: counted kernels of a range
  // with modeled work leave only the rest to the others.
  double flop_fraction = 0;
};

// Groups the kernels that do the work of a range once: those launched in it and, if nodes of a CUDA
// graph were created in it, those of each launch of the graph.
class WorkGroups {
 public:
  // `profile` and `attribution` must live as long as this.
  WorkGroups(const store::Profile& profile, const Attribution& attribution);

  std::size_t size() const { return attribution_.ranges.size() + of_graph_launch_.size(); }
  // The group of Profile::kernels[kernel]; std::nullopt: in no range. Kernels that are not nodes of
  // a graph have the index of their range.
  std::optional<std::size_t> of(std::size_t kernel) const;

 private:
  const store::Profile& profile_;
  const Attribution& attribution_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::size_t>
      of_graph_launch_;  // range, correlation id
};

// One element for each of Profile::kernels. The kernels of a range share its work in proportion to
// their time: the fractions of a group (WorkGroups) add up to 1. If the range states an operation
// class and the names of some of its kernels have that class, only those share it: the FLOPs of a
// linear layer belong to its GEMM, not to the quantize kernels before it. Kernels without a share
// are treated as launched outside the range. So are all kernels of a range in which counters were
// read in the run, as it lacks kernel records.
std::vector<KernelShare> share_work(const store::Profile& profile, const Attribution& attribution,
                                    const KernelNames& names);

// Precision from the annotation, or else from the kernel name.
std::optional<Precision> work_precision(const kernels::WorkAnnotation& work,
                                        const std::optional<Precision>& by_name);

bool has_amounts(const kernels::WorkAnnotation& work);

}  // namespace mansard::analysis
