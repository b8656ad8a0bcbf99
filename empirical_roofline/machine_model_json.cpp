// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/machine_model_json.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "empirical_roofline/machine_model.h"
#include "support/files.h"

namespace mansard::roofline {
namespace {

void write_json(const Json& j, int depth, std::string& out) {
  const bool numbers = j.is_array() && std::all_of(j.begin(), j.end(),
                                                   [](const Json& e) { return e.is_primitive(); });
  if (!j.is_structured() || j.empty() || numbers) {
    out += j.dump();
    return;
  }
  const std::string indent(static_cast<std::size_t>(depth) + 1, ' ');
  out += j.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, item] : j.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += indent;
    if (j.is_object()) out += Json(key).dump() + ": ";
    write_json(item, depth + 1, out);
  }
  out += "\n" + indent.substr(1) + (j.is_object() ? "}" : "]");
}

const char* sweep_field(const std::string& unit) {
  return unit == "B/s" ? "bytes_per_s" : "time_s";
}

std::string how_to_make_one() { return "; create one with 'mansard characterize -o machine.json'"; }

Json parsed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) {
    throw std::runtime_error("it is empty" + how_to_make_one());
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // Distinguish a truncated machine model from a file that is not JSON.
    if (text[text.find_first_not_of(kBlanks)] != '{') {
      throw std::runtime_error("it is not a machine model (JSON)" + how_to_make_one());
    }
    throw std::runtime_error("invalid JSON after byte " + std::to_string(error.byte - 1) + " of " +
                             std::to_string(text.size()) + how_to_make_one());
  }
}

// Returns the message without the library's prefix: "key 'devices' not found".
std::string reason_of(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

Plateau plateau_from_json(const Json& j) {
  const std::string key = j.at("level");
  const std::optional<MemoryLevel> level = parse_memory_level(key);
  if (!level) throw std::runtime_error("'level' has the unknown value '" + key + "'");
  return {j.at("kernel"),    *level, j.at("value"), j.at("unit"), j.at("first_bytes"),
          j.at("last_bytes")};
}

Json provenance_to_json(const Provenance& p) {
  Json j = {{"origin", to_string(p.origin)}};
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) j[key] = value;
  };
  put("date_utc", p.date_utc);
  put("host", p.host);
  put("driver_version", p.driver_version);
  put("cuda_version", p.cuda_version);
  put("mansard_version", p.mansard_version);
  put("command", p.command);
  put("source", p.source);
  return j;
}

Provenance provenance_from_json(const Json& j) {
  Provenance p;
  p.origin = parse_enum(j.at("origin").get<std::string>(), "origin",
                        std::array{Origin::measured, Origin::datasheet});
  p.date_utc = j.value("date_utc", "");
  p.host = j.value("host", "");
  p.driver_version = j.value("driver_version", "");
  p.cuda_version = j.value("cuda_version", "");
  p.mansard_version = j.value("mansard_version", "");
  p.command = j.value("command", "");
  p.source = j.value("source", "");
  return p;
}

}  // namespace

std::string to_text(const Json& j) {
  std::string text;
  write_json(j, 0, text);
  return text;
}

std::string to_json(const MachineModel& model) {
  Json j = {{"mansard_machine_model", MachineModel::kSchemaVersion},
            {"name", model.name},
            {"provenance", provenance_to_json(model.provenance)},
            {"devices", Json::array()}};
  for (const DeviceModel& d : model.devices) {
    Json device = {{"device", to_json_value(d.device)}, {"ceilings", Json::array()}};
    for (const Ceiling& c : d.ceilings) device["ceilings"].push_back(to_json_value(c));
    device["sweep"] = Json::array();
    for (const SweepPoint& p : d.sweep) {
      Json point = {{"kernel", p.kernel}};
      if (p.axis() == SweepAxis::message) {
        point["message_bytes"] = p.bytes;
        point["ranks"] = p.ranks;
        point["call_s"] = p.call_s;
      } else {
        point["working_set_bytes"] = p.bytes;
      }
      point[sweep_field(p.unit)] = p.value;
      device["sweep"].push_back(std::move(point));
    }
    if (!d.plateaus.empty()) device["plateaus"] = Json::array();
    for (const Plateau& p : d.plateaus) {
      device["plateaus"].push_back({{"kernel", p.kernel},
                                    {"level", info(p.level).key},
                                    {"value", p.value},
                                    {"unit", p.unit},
                                    {"first_bytes", p.first_bytes},
                                    {"last_bytes", p.last_bytes}});
    }
    j["devices"].push_back(std::move(device));
  }
  return to_text(j) + "\n";
}

MachineModel machine_model_from_json(std::string_view json, const std::string& what) {
  try {
    const Json j = parsed(json);
    if (!j.is_object() || !j.contains("mansard_machine_model")) {
      throw std::runtime_error("it is not a machine model (no field 'mansard_machine_model')" +
                               how_to_make_one());
    }
    const int version = j.at("mansard_machine_model");
    if (version != MachineModel::kSchemaVersion) {
      throw std::runtime_error("it has schema version " + std::to_string(version) +
                               ", but this program reads version " +
                               std::to_string(MachineModel::kSchemaVersion) +
                               "; measure again with 'mansard characterize', or use the Mansard "
                               "version that wrote it");
    }
    MachineModel model;
    model.name = j.value("name", "");
    model.provenance = provenance_from_json(j.at("provenance"));
    for (const Json& d : j.at("devices")) {
      DeviceModel device;
      device.device = device_from_json(d.at("device"));
      for (const Json& c : d.at("ceilings")) device.ceilings.push_back(ceiling_from_json(c));
      for (const Json& p : d.value("sweep", Json::array())) {
        const std::string unit = p.contains("bytes_per_s") ? "B/s" : "s";
        const bool message = p.contains("message_bytes");
        device.sweep.push_back(
            {p.at("kernel"), p.at(message ? "message_bytes" : "working_set_bytes"),
             p.at(sweep_field(unit)), unit, message ? p.at("ranks").get<int>() : 0,
             message ? p.at("call_s").get<double>() : 0});
      }
      for (const Json& p : d.value("plateaus", Json::array())) {
        device.plateaus.push_back(plateau_from_json(p));
      }
      model.devices.push_back(std::move(device));
    }
    return model;
  } catch (const Json::exception& error) {
    throw std::runtime_error("cannot read machine model '" + what +
                             "': missing or invalid field: " + reason_of(error) +
                             how_to_make_one());
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot read machine model '" + what + "': " + error.what());
  }
}

MachineModel load_machine_model(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMost_bytes = 64 << 20;  // 40 times the size of a --full model
  require_input_file(file, "machine model '" + file.string() + "'", kMost_bytes);
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot open machine model '" + file.string() +
                             "': no such file or not readable");
  }
  std::ostringstream content;
  content << in.rdbuf();
  MachineModel model = machine_model_from_json(content.str(), file.string());
  if (model.name.empty()) model.name = file.stem().string();
  return model;
}

namespace {

// A column of the samples: its name, and accessors of the value of one sample.
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

// Six digits exceed the precision of a sample and keep the file small.
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
    throw std::runtime_error(std::string("'") + field + "' has the unknown value '" + key + "'");
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
  // Early files have no other overhead than that of a kernel launch, and do not name it.
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

Json to_json_value(const kernels::DeviceInfo& d) {
  return {
      {"target", d.target == kernels::Target::cuda ? "cuda" : "host"},
      {"name", d.name},
      {"uuid", d.uuid},
      {"compute_capability", d.compute_capability},
      {"units", d.units},
      {"boost_clock_hz", d.boost_clock_hz},
      {"memory_clock_hz", d.memory_clock_hz},
      {"memory_bus_bits", d.memory_bus_bits},
      {"memory_bytes", d.memory_bytes},
      {"l1_bytes", d.l1_bytes},
      {"l2_bytes", d.l2_bytes},
      {"l3_bytes", d.l3_bytes},
      {"l1_count", d.l1_count},
      {"l2_count", d.l2_count},
      {"l3_count", d.l3_count},
      {"instruction_set", d.instruction_set},
  };
}

kernels::DeviceInfo device_from_json(const Json& j) {
  kernels::DeviceInfo d;
  const std::string target = j.at("target");
  if (target != "cuda" && target != "host") {
    throw std::runtime_error("'target' is '" + target + "', expected 'cuda' or 'host'");
  }
  d.target = target == "cuda" ? kernels::Target::cuda : kernels::Target::host;
  d.name = j.at("name");
  d.uuid = j.value("uuid", "");
  d.compute_capability = j.value("compute_capability", 0);
  d.units = j.value("units", 0);
  d.boost_clock_hz = j.value("boost_clock_hz", 0.0);
  d.memory_clock_hz = j.value("memory_clock_hz", 0.0);
  d.memory_bus_bits = j.value("memory_bus_bits", 0);
  d.memory_bytes = j.value("memory_bytes", 0.0);
  d.l1_bytes = j.value("l1_bytes", 0.0);
  d.l2_bytes = j.value("l2_bytes", 0.0);
  d.l3_bytes = j.value("l3_bytes", 0.0);
  d.l1_count = j.value("l1_count", 0);
  d.l2_count = j.value("l2_count", 0);
  d.l3_count = j.value("l3_count", 0);
  d.instruction_set = j.value("instruction_set", "");
  return d;
}

}  // namespace mansard::roofline
