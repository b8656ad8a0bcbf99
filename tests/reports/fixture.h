// SPDX-License-Identifier: Apache-2.0
// A synthetic machine and run for testing and viewing reports.
#pragma once

#include "analyzer/run_analysis.h"

namespace mansard::fixture {

// One H200 with every kind of ceiling, and an L2-to-HBM bandwidth sweep.
roofline::MachineModel h200();

// A training step of a Transformer layer on it: GEMMs, attention, quantization, normalization, a
// collective without known bytes, and a launch-bound kernel, with points at two tiers.
analysis::RunAnalysis training_step();

// A name that all formats must escape: markup, quotes, separators, line ends, escapes, invalid
// UTF-8.
std::string hostile_name();

// training_step() with all external texts replaced by hostile_name().
analysis::RunAnalysis hostile_run();

// A finding whose table has all cell types, a hostile name and a name of 4000 characters.
analysis::Finding hostile_finding();

}  // namespace mansard::fixture
