// SPDX-License-Identifier: Apache-2.0
// A plausible machine and a plausible run, made by hand: what reports are tested and looked at
// with.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::fixture {

// One H200 with every kind of ceiling, and an L2-to-HBM bandwidth sweep.
roofline::MachineModel h200();

// One training step of a Transformer layer on it: GEMMs, attention, quantization, normalization, a
// collective without known work, and a launch-bound kernel. Complete, with points at two tiers.
analysis::RunAnalysis training_step();

// A name no format may be harmed by: markup, quotes, separators, line ends, escapes, invalid UTF-8.
std::string hostile_name();

// training_step() with every text from outside replaced by hostile_name().
analysis::RunAnalysis hostile_run();

// One finding whose table has every cell type, a hostile name and one of 4000 characters.
analysis::Finding hostile_finding();

}  // namespace mansard::fixture
