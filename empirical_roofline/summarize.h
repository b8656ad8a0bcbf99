// SPDX-License-Identifier: Apache-2.0
// From the samples of a ceiling to its figures.
#pragma once

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

// "FLOP/s", "op/s", "B/s" or "s".
std::string unit_of(const kernels::KernelSpec& spec);

// Sets value, spread, uncertainty, campaigns, clock, power, temperature and the fractions of theory
// of `ceiling` from its samples, those of a clock that was still settling left aside.
//
// The value is the median of the campaigns' medians, as samples of one campaign share its clock and
// its place in memory. With three campaigns or more the uncertainty is Student's interval of their
// mean; with fewer, the order statistics' interval of the median over all samples, which knows
// nothing of what changes between campaigns.
void summarize(Ceiling& ceiling, const kernels::KernelSpec& spec,
               const kernels::DeviceInfo& device);

}  // namespace mansard::roofline
