// SPDX-License-Identifier: Apache-2.0
// How the work that a range declares is divided among the kernels launched in it.
#pragma once

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/classify/kernel_names.h"

namespace mansard::analysis {

struct KernelShare {
  std::int32_t range = -1;  // into Attribution::ranges; -1: receives nothing
  double fraction = 0;      // of that range's work; over all kernels of a range these add up to 1
};

// For each of Profile::kernels. The kernels of a range share its work in proportion to their time.
// Where the range names an operation class and some of its kernels are of that class by their own
// names, only those share it: the FLOPs of a linear layer belong to its GEMM, not to the quantize
// kernels before it. Kernels that receive nothing are treated as if launched outside the range, and
// so are those of a range in which counters were read in the run: it lacks the records of launches.
std::vector<KernelShare> share_work(const store::Profile& profile, const Attribution& attribution,
                                    const KernelNames& names);

// The annotation's precision, else what the kernel's name says.
std::optional<Precision> work_precision(const kernels::WorkAnnotation& work,
                                        const std::optional<Precision>& by_name);

bool has_amounts(const kernels::WorkAnnotation& work);

}  // namespace mansard::analysis
