// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/training_annotation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace mansard::kernels {
namespace {

constexpr std::string_view kBar = " | ";
constexpr std::string_view kStepName = "training step";
constexpr std::array<std::string_view, 3> kTensors = {"x", "W", "dy"};
constexpr std::array<std::string_view, 3> kGemms = {"fprop", "dgrad", "wgrad"};
constexpr std::array<std::string_view, 3> kShares = {"e4m3", "e5m2", "bf16"};
constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

void put(std::string& text, std::string_view key, std::string_view value) {
  text.append(" ").append(key).append("=").append(value);
}

// Independent of the locale, and exact: the shortest text that is read as the same number.
template <class Number>
void put_number(std::string& text, std::string_view key, Number value) {
  char number[40];
  const auto end = std::to_chars(number, number + sizeof number, value).ptr;
  put(text, key, {number, end});
}

void put_number(std::string& text, std::string_view key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) put_number<double>(text, key, *value);
}

template <class Number>
std::optional<Number> number_of(std::string_view value) {
  Number number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

std::optional<double> between(double low, std::string_view value, double high) {
  const std::optional<double> number = number_of<double>(value);
  return number && *number >= low && *number <= high ? number : std::nullopt;
}

double at_least_zero(std::string_view value) {
  return between(0, value, std::numeric_limits<double>::max()).value_or(kNotFinite);
}

// Calls take(key, value) for each pair of "key=value key=value".
template <class Take>
void for_each_pair(std::string_view pairs, const Take& take) {
  while (!pairs.empty()) {
    const std::size_t space = pairs.find(' ');
    const std::string_view pair = pairs.substr(0, space);
    pairs = space == std::string_view::npos ? std::string_view{} : pairs.substr(space + 1);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos) take(pair.substr(0, equals), pair.substr(equals + 1));
  }
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& known, std::string_view text) {
  return std::ranges::find(known, text) != known.end();
}

}  // namespace

std::string to_text(const TensorNumerics& n) {
  std::string text = n.layer + ' ' + n.tensor + " |";
  put_number(text, "step", n.step);
  put(text, "gemm", n.gemm);
  if (n.format) put(text, "format", info(*n.format).key);
  put_number(text, "elements", n.elements);
  put_number(text, "amax", std::optional(n.amax));
  put_number(text, "rms", std::optional(n.rms));
  put_number(text, "underflow", n.underflow);
  put_number(text, "saturated", n.saturated);
  put_number(text, "snr_db", n.snr_db);
  for (std::size_t i = 0; n.shares && i < kShares.size(); ++i) {
    put_number(text, kShares[i], std::optional((*n.shares)[i]));
  }
  return text;
}

std::string to_text(const TrainingProgress& s) {
  std::string text = std::string(kStepName) + " |";
  put_number(text, "step", s.step);
  put_number(text, "tokens", s.tokens);
  put_number(text, "loss", std::optional(s.loss));
  put_number(text, "validation_loss", s.validation_loss);
  put_number(text, "learning_rate", std::optional(s.learning_rate));
  put_number(text, "gradient_norm", std::optional(s.gradient_norm));
  return text;
}

std::optional<TensorNumerics> parse_tensor_numerics(std::string_view text) {
  const std::size_t bar = text.rfind(kBar);
  if (bar == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, bar);
  const std::size_t space = name.rfind(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  TensorNumerics n;
  n.layer = name.substr(0, space);
  n.tensor = name.substr(space + 1);
  if (!contains(kTensors, n.tensor)) return std::nullopt;
  n.step = -1;
  n.amax = n.rms = kNotFinite;
  std::array<std::optional<double>, kShares.size()> shares;
  for_each_pair(text.substr(bar + kBar.size()), [&](std::string_view key, std::string_view value) {
    if (key == "step") {
      n.step = number_of<std::int64_t>(value).value_or(-1);
    } else if (key == "gemm") {
      n.gemm = value;
    } else if (key == "format") {
      n.format = parse_precision(value);
    } else if (key == "elements") {
      n.elements = number_of<std::int64_t>(value).value_or(0);
    } else if (key == "amax") {
      n.amax = at_least_zero(value);
    } else if (key == "rms") {
      n.rms = at_least_zero(value);
    } else if (key == "underflow") {
      n.underflow = between(0, value, 1);
    } else if (key == "saturated") {
      n.saturated = between(0, value, 1);
    } else if (key == "snr_db") {
      n.snr_db = number_of<double>(value);
    } else if (const auto share = std::ranges::find(kShares, key); share != kShares.end()) {
      shares[static_cast<std::size_t>(share - kShares.begin())] = between(0, value, 1);
    }
  });
  if (n.step < 0 || n.elements <= 0 || !contains(kGemms, n.gemm)) return std::nullopt;
  if (shares[0] && shares[1] && shares[2]) n.shares = {{*shares[0], *shares[1], *shares[2]}};
  return n;
}

std::optional<TrainingProgress> parse_training_step(std::string_view text) {
  const std::size_t bar = text.rfind(kBar);
  if (bar == std::string_view::npos || text.substr(0, bar) != kStepName) return std::nullopt;
  TrainingProgress s;
  s.step = s.tokens = -1;
  s.loss = s.learning_rate = s.gradient_norm = kNotFinite;
  for_each_pair(text.substr(bar + kBar.size()), [&](std::string_view key, std::string_view value) {
    if (key == "step") {
      s.step = number_of<std::int64_t>(value).value_or(-1);
    } else if (key == "tokens") {
      s.tokens = number_of<std::int64_t>(value).value_or(-1);
    } else if (key == "loss") {
      s.loss = number_of<double>(value).value_or(kNotFinite);
    } else if (key == "validation_loss") {
      s.validation_loss = number_of<double>(value);
    } else if (key == "learning_rate") {
      s.learning_rate = at_least_zero(value);
    } else if (key == "gradient_norm") {
      s.gradient_norm = at_least_zero(value);
    }
  });
  if (s.step < 0 || s.tokens < 0) return std::nullopt;
  return s;
}

}  // namespace mansard::kernels
