// SPDX-License-Identifier: Apache-2.0
// Checkpoint intervals that waste the least time. Symbols, all in seconds: w training time between
// two checkpoints, c blocking time of a save, M mean time between failures of the job, 1 / M = L.
//
// Young (1974), "A first order approximation to the optimum checkpoint interval", Communications of
// the ACM 17(9): w = sqrt(2 c M). CPR uses it for full recovery (arXiv 2011.02999). It minimizes
// c / w + w / (2 M): at most one failure per interval, in its middle on average, and none while
// saving or recovering. Too long once c is not small against M: at c = M / 2 it returns M.
//
// Daly (2006), "A higher order estimate of the optimum checkpoint interval for restart dumps",
// Future Generation Computer Systems 22(3): for c < 2 M
//   w = sqrt(2 c M) (1 + sqrt(c / (2 M)) / 3 + (c / (2 M)) / 9) - c,
// otherwise w = M. An expansion of the optimum below.
//
// Mansard's optimum minimizes the exact expectation for exponential failures
// (expected_goodput.h). There, w enters only as (exp(L (w + c)) - 1) / w; its minimum is where
//   1 - L w = exp(-L (w + c)),
// in closed form w = M (1 + W(-exp(-1 - L c))) with Lambert's function W. It depends neither on the
// time of recovery nor on background writes, which multiply the expectation by a constant.
#pragma once

#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

double young_interval_s(double save_s, double mtbf_s);
double daly_interval_s(double save_s, double mtbf_s);
// Relative error below 1e-6. 0 without save time; infinite without failures.
double optimum_interval_s(double save_s, double mtbf_s);

// Partial recovery: the expected share of lost samples (PLS) with an interval of w, and the longest
// interval whose PLS is `lost_samples`. N is the number of parameter shards or replicas, r the time
// of a recovery, b that of the background write.
// First order (CPR): PLS = w / (2 M N).
// Exact for exponential failures (expected_goodput.h): PLS = L exp(L r) (w / 2 + c + b) / N for
// shards; for replicas, with l = L / N,
//   PLS = 1 - exp(-l (c + b)) (1 - exp(-l w)) / (l w).
// The interval is not positive if even saving all the time loses more samples.
double lost_samples_of(const GoodputJob& job, double interval_s);
double cpr_partial_interval_s(const GoodputJob& job);
double partial_interval_s(const GoodputJob& job);

// The interval of the job: the given one; otherwise that of its kind of recovery, but at least a
// step and the background write, and at most the whole training. Throws std::runtime_error if
// partial recovery cannot keep to `lost_samples`.
double interval_of(const GoodputJob& job);

}  // namespace mansard::analysis
