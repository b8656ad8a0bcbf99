// SPDX-License-Identifier: Apache-2.0
// Expected wall time of a job whose nodes fail independently, at exponential times.
//
// Symbols, times in seconds: W training time (steps x step time), w training time between two
// checkpoints, n = ceil(W / w) segments, c blocking and b background time of a save, t = w + c,
// r = detection + restart + load, L failures of the job per second (nodes / MTBF of a node).
//
// Exact expectation, full recovery. Failures are memoryless, so each attempt of a recovery or of a
// segment starts afresh.
// - A recovery needs r without a failure, and starts again at each failure. With E its expected
//   time: E = integral of exp(-L x) over [0, r] + (1 - exp(-L r)) E, thus E = (exp(L r) - 1) / L.
// - A segment needs t without a failure. A failure costs the time so far and a recovery:
//     Y = (1 - exp(-L t)) / L + (1 - exp(-L t)) (E + Y), thus Y = exp(L r) (exp(L t) - 1) / L.
//   This is equation 13 of Daly (2006) per segment. W takes the sum over its segments.
// - While the previous checkpoint is being written in the background (the first b of a segment), a
//   failure returns to the checkpoint before that: one more segment Y is computed again. With X the
//   expected time of a segment that starts with a write:
//     X = (1 - exp(-L t)) (1 / L + E) + (exp(-L b) - exp(-L t)) Y + (1 - exp(-L b)) (Y + X),
//   thus X = exp(L b) Y. The last segment, with rest w' of the training, writes its checkpoint in
//   the foreground. Its length t' = w' + c + b and Y' = Y(t') turn the equation into X' = Y' +
//   (exp(L b) - 1) Y. The first segment has no write at its start, so the sum is
//     T = (n - 1) exp(L b) Y + Y'.
// Split by cause. Failures come at rate L all the time, T in total, so a job has L T of them; a
// fraction exp(-L r) of T is outside recoveries. This time minus W and saves is lost work. The part
// [x, y) of each recovery takes T (exp(-L x) - exp(-L y)).
//
// Partial recovery loses no time but that of recoveries: T = (W + n c + b) exp(L r). Each failure
// loses the samples that one of N shards has seen since its checkpoint, w (w / 2 + c + b) / (w + c)
// on average, so E[PLS] = L exp(L r) (w / 2 + c + b) / N as a share of W.
//
// Partial recovery of N replicas, where the others continue. Each replica is interrupted at the
// rate l = L / N and is absent for the share 1 - exp(-l r) of the time, as above. The job trains at
// the mean share of present replicas, so the samples of W take T = (W + n c + b) exp(l r), and the
// parts of the recoveries, T (exp(-l x) - exp(-l y)), are those of its speed that it loses. All
// replicas save at the same step. A sample that a replica trains x before the end of a segment is
// kept if the replica does not fail until the checkpoint is written, with the probability
// exp(-l (x + c + b)):
//   E[PLS] = 1 - integral of exp(-l (x + c + b)) / w over [0, w]
//          = 1 - exp(-l (c + b)) (1 - exp(-l w)) / (l w).
// This neglects that all replicas may be absent at once. A job with a given number of steps instead
// of samples takes (W + n c + b), and its replicas miss the share 1 - exp(-l r) of the samples.
//
// Spare nodes. The job runs while at most S nodes are in repair and waits otherwise. Repairs run at
// the same time, take R on average, and nodes of a waiting job do not fail, so the nodes in repair
// are an Erlang loss system with S + 1 servers and load L R: the job waits for the share B(S + 1,
// L R) of the wall time (Erlang's B formula, 1917, for any distribution of the repair time), once
// it is in a steady state. A run that is short against R waits less, as all spares are there at
// first. For WithoutSpare::shrink, the number of nodes in repair is a birth-death process whose
// failure rate falls with each missing node; training takes longer by its mean loss of speed. This
// is also the case of replicas that recover one by one: the others do not wait.
// This last part neglects that the rate of failures and the length of segments then vary.
//
// First order (Young, 1974; CPR, arXiv 2011.02999), M = 1 / L:
//   full:    T = W + c W / w + (r + w / 2 + b) W / M
//   partial: T = W + c W / w + r W / M,    E[PLS] = w / (2 M N).
// It counts failures of W instead of T, and no failure during saves, recoveries or a second time in
// a segment. Its error is of second order: at the optimum interval it misses about half of
// L (t + r) of the overhead, so 6 % at L (t + r) = 0.13, 20 % at 0.4 and half at 1.1 (by
// Mansard's own comparison, tests/analyzer/goodput). Beyond, the expectation grows exponentially
// while the first order grows linearly.
//
// Limits: failures are independent, every one stops the job (or its replica) and what it is doing,
// and training is continuous (a failure in the middle of a step of partial recovery loses no time).
#pragma once

#include "analyzer/goodput/goodput.h"
#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

// Both throw std::runtime_error if the job is invalid (require_valid), or makes no progress because
// an interval with its recovery exceeds the time between failures by far.
Goodput expected_goodput(const GoodputJob& job);
Goodput first_order_goodput(const GoodputJob& job);

// The number of steps of the job (instead of job.steps) that is expected to take `wall_s`.
double steps_within(GoodputJob job, double wall_s);

// Erlang's B formula: the share of time in which all servers are busy. `load`: arrivals x service
// time.
double erlang_b(std::int64_t servers, double load);

}  // namespace mansard::analysis
