// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "empirical_roofline/json_fields.h"

namespace mansard::roofline {
namespace {

// A column of the samples: how it is called, and how one entry is read and written.
struct SampleColumn {
  const char* name;
  bool required;
  double (*get)(const Sample&);
  void (*set)(Sample&, double);
};

constexpr std::array kSampleColumns = {
    SampleColumn{"value", true, [](const Sample& s) { return s.value; },
                 [](Sample& s, double x) { s.value = x; }},
    SampleColumn{"clock_hz", true, [](const Sample& s) { return s.clock_hz; },
                 [](Sample& s, double x) { s.clock_hz = x; }},
    SampleColumn{"power_w", true, [](const Sample& s) { return s.power_w; },
                 [](Sample& s, double x) { s.power_w = x; }},
    SampleColumn{"throttled", true, [](const Sample& s) { return s.throttled ? 1.0 : 0.0; },
                 [](Sample& s, double x) { s.throttled = x != 0; }},
    SampleColumn{"temperature_c", false, [](const Sample& s) { return s.temperature_c; },
                 [](Sample& s, double x) { s.temperature_c = x; }},
    SampleColumn{"fraction_of_theory", false, [](const Sample& s) { return s.fraction; },
                 [](Sample& s, double x) { s.fraction = x; }},
    SampleColumn{"campaign", false, [](const Sample& s) { return double(s.campaign); },
                 [](Sample& s, double x) { s.campaign = static_cast<int>(x); }},
    SampleColumn{"settling", false, [](const Sample& s) { return s.settling ? 1.0 : 0.0; },
                 [](Sample& s, double x) { s.settling = x != 0; }},
};

// A sample is known to far fewer digits than a double has; six keep the file small.
Json six_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  const double rounded = std::strtod(text, nullptr);
  const auto whole = static_cast<std::int64_t>(rounded);
  if (static_cast<double>(whole) == rounded) return whole;  // "1", not "1.0"
  return rounded;
}

template <typename Enum, typename Parse>
std::optional<Enum> optional_key(const Json& j, const char* field, Parse parse) {
  if (!j.contains(field)) return std::nullopt;
  const std::string key = j.at(field);
  const std::optional<Enum> value = parse(key);
  if (!value) {
    throw std::runtime_error(std::string("'") + field + "' is '" + key + "', which is unknown");
  }
  return value;
}

}  // namespace

Json to_json_value(const std::vector<Sample>& samples) {
  Json columns = Json::object();
  for (const SampleColumn& column : kSampleColumns) {
    const bool known =
        std::ranges::any_of(samples, [&](const Sample& s) { return column.get(s) != 0; });
    if (!known && !column.required) continue;
    Json& values = columns[column.name] = Json::array();
    for (const Sample& s : samples) values.push_back(six_digits(column.get(s)));
  }
  return columns;
}

std::vector<Sample> samples_from_json(const Json& j) {
  if (!j.is_object()) {
    throw std::runtime_error(
        "'samples' must be an object of columns (value, clock_hz, power_w, throttled, ...); "
        "measure again with 'mansard characterize'");
  }
  std::vector<Sample> samples(j.at("value").size());
  for (const SampleColumn& column : kSampleColumns) {
    if (!column.required && !j.contains(column.name)) continue;
    const Json& values = j.at(column.name);
    if (values.size() != samples.size()) {
      throw std::runtime_error("'samples." + std::string(column.name) + "' has " +
                               std::to_string(values.size()) + " entries, 'value' has " +
                               std::to_string(samples.size()));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) column.set(samples[i], values[i]);
  }
  return samples;
}

Json to_json_value(const Ceiling& c) {
  Json j = {{"id", c.id}, {"role", to_string(c.role)}};
  if (c.precision) j["precision"] = info(*c.precision).key;
  if (c.level) j["level"] = info(*c.level).key;
  if (c.overhead) j["overhead"] = to_string(*c.overhead);
  if (!c.roof) j["roof"] = false;
  j["value"] = c.value;
  j["unit"] = c.unit;
  j["spread"] = c.spread;
  if (c.uncertainty > 0) j["uncertainty"] = c.uncertainty;
  if (c.campaigns > 0) j["campaigns"] = c.campaigns;
  j["regime"] = to_string(c.regime);
  if (!c.data_pattern.empty()) j["data_pattern"] = c.data_pattern;
  j["clock_hz"] = c.clock_hz;
  j["power_w"] = c.power_w;
  if (c.temperature_c > 0) j["temperature_c"] = c.temperature_c;
  j["fraction_of_theory_at_clock"] = c.fraction_of_theory_at_clock;
  if (c.fraction_of_theory_at_boost > 0) {
    j["fraction_of_theory_at_boost"] = c.fraction_of_theory_at_boost;
  }
  if (!c.throttled_by.empty()) j["throttled_by"] = c.throttled_by;
  j["kernel"] = c.kernel;
  j["parameters"] = c.parameters;
  j["source"] = c.source;
  if (!c.samples.empty()) j["samples"] = to_json_value(c.samples);
  return j;
}

Ceiling ceiling_from_json(const Json& j) {
  Ceiling c;
  c.id = j.at("id");
  c.role = parse_enum(
      j.at("role").get<std::string>(), "role",
      std::array{kernels::KernelRole::compute_ceiling, kernels::KernelRole::bandwidth_ceiling,
                 kernels::KernelRole::latency_ceiling, kernels::KernelRole::overhead_ceiling});
  c.precision = optional_key<Precision>(j, "precision", parse_precision);
  c.level = optional_key<MemoryLevel>(j, "level", parse_memory_level);
  c.overhead = optional_key<kernels::Overhead>(j, "overhead", kernels::parse_overhead);
  // Files of the first version knew no overhead but that of a launch.
  if (c.role == kernels::KernelRole::overhead_ceiling && !c.overhead)
    c.overhead = kernels::Overhead::kernel_launch;
  c.roof = j.value("roof", true);
  c.value = j.at("value");
  c.unit = j.at("unit");
  c.spread = j.value("spread", 0.0);
  c.uncertainty = j.value("uncertainty", 0.0);
  c.campaigns = j.value("campaigns", 0);
  c.regime = parse_enum(j.value("regime", "burst"), "regime",
                        std::array{Regime::burst, Regime::sustained, Regime::theoretical});
  c.data_pattern = j.value("data_pattern", "");
  c.clock_hz = j.value("clock_hz", 0.0);
  c.power_w = j.value("power_w", 0.0);
  c.temperature_c = j.value("temperature_c", 0.0);
  c.fraction_of_theory_at_clock = j.value("fraction_of_theory_at_clock", 0.0);
  c.fraction_of_theory_at_boost = j.value("fraction_of_theory_at_boost", 0.0);
  c.throttled_by = j.value("throttled_by", "");
  c.kernel = j.value("kernel", "");
  c.parameters = j.value("parameters", std::map<std::string, std::string>{});
  c.source = j.value("source", "");
  if (j.contains("samples")) c.samples = samples_from_json(j.at("samples"));
  return c;
}

}  // namespace mansard::roofline
