// SPDX-License-Identifier: Apache-2.0
// Random times and the queue of events of a simulated job.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace mansard::analysis {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Times between failures and of repairs. The distributions are written here, because those of the
// standard library differ between implementations.
class RandomTimes {
 public:
  RandomTimes(std::uint64_t seed, double node_mtbf_s, double shape)
      : random_(seed),
        mean_s_(node_mtbf_s),
        shape_(shape),
        scale_s_(node_mtbf_s / std::tgamma(1 + 1 / shape)) {}

  // Time to the first failure of a node that has just been repaired.
  double new_node_s() {
    if (shape_ == 1) return exponential_s(mean_s_);
    return scale_s_ * std::pow(exponential_s(1), 1 / shape_);
  }

  // Time to the next failure of a node in service for long: a uniform share of a length-biased life
  // (renewal theory). A length-biased Weibull variable is scale x G^(1 / shape), with G from the
  // Gamma distribution of shape 1 + 1 / shape.
  double used_node_s() {
    if (shape_ == 1) return exponential_s(mean_s_);
    return uniform() * scale_s_ * std::pow(gamma(1 + 1 / shape_), 1 / shape_);
  }

  double exponential_s(double mean_s) { return -mean_s * std::log1p(-uniform()); }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // [0, 1)

  // Box and Muller (1958).
  double normal() {
    constexpr double kTwoPi = 6.283185307179586;
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    return radius * std::cos(kTwoPi * uniform());
  }

  // Marsaglia and Tsang (2000), "A simple method for generating gamma variables", for shape >= 1.
  double gamma(double shape) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal();
      const double v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log1p(-uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

  std::mt19937_64 random_;
  double mean_s_;
  double shape_;
  double scale_s_;
};

class EventQueue {
 public:
  // `what`: the node or replica, for those who need it.
  void push(double time_s, std::int64_t what = 0) { events_.emplace(time_s, what); }
  double first() const { return events_.empty() ? kInfinity : events_.top().first; }
  std::int64_t pop() {
    const std::int64_t what = events_.top().second;
    events_.pop();
    return what;
  }

 private:
  using Event = std::pair<double, std::int64_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace mansard::analysis
