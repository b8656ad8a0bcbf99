// SPDX-License-Identifier: Apache-2.0
// Divides the work of an annotated range among the kernels launched in it.
#pragma once

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/classify/kernel_names.h"

namespace mansard::analysis {

struct KernelShare {
  std::int32_t range = -1;  // index into Attribution::ranges; -1: no work
  double fraction = 0;      // of that range's work; outside of graphs, a range's fractions sum to 1
};

// One element for each of Profile::kernels. The kernels of a range share its work in proportion to
// their time. If the range states an operation class and the names of some of its kernels have that
// class, only those share it: the FLOPs of a linear layer belong to its GEMM, not to the quantize
// kernels before it. Kernels without a share are treated as launched outside the range. So are all
// kernels of a range in which counters were read in the run, as it lacks kernel records.
std::vector<KernelShare> share_work(const store::Profile& profile, const Attribution& attribution,
                                    const KernelNames& names);

// Precision from the annotation, or else from the kernel name.
std::optional<Precision> work_precision(const kernels::WorkAnnotation& work,
                                        const std::optional<Precision>& by_name);

bool has_amounts(const kernels::WorkAnnotation& work);

}  // namespace mansard::analysis
