// SPDX-License-Identifier: Apache-2.0
// Computes the statistics of a ceiling from its samples.
#pragma once

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

// "FLOP/s", "op/s", "B/s" or "s".
std::string unit_of(const kernels::KernelSpec& spec);

// Sets value, spread, uncertainty, campaigns, clock, power, temperature and the fractions of
// theoretical peak of `ceiling` from its samples, without those marked as settling.
//
// The value is the median of the campaigns' medians, because samples of a campaign share a clock
// and a memory allocation. With three or more campaigns, the uncertainty is Student's confidence
// interval of their mean; with fewer, the order-statistics interval of the median over all samples,
// which does not include the variation between campaigns.
void summarize(Ceiling& ceiling, const kernels::KernelSpec& spec,
               const kernels::DeviceInfo& device);

}  // namespace mansard::roofline
