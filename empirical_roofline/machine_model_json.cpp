// SPDX-License-Identifier: Apache-2.0
// The machine model as JSON. Field names say units; docs/machine-model.md describes each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "empirical_roofline/machine_model.h"

namespace mansard {
namespace {

using Json = nlohmann::ordered_json;

template <typename Enum, std::size_t N>
Enum parse_enum(const std::string& text, const char* field, const std::array<Enum, N>& all) {
  for (const Enum e : all) {
    if (to_string(e) == text) return e;
  }
  throw std::runtime_error(std::string("'") + field + "' is '" + text + "', which is unknown");
}

Json device_to_json(const DeviceInfo& d) {
  return {
      {"target", d.target == Target::cuda ? "cuda" : "host"},
      {"name", d.name},
      {"uuid", d.uuid},
      {"compute_capability", d.compute_capability},
      {"units", d.units},
      {"boost_clock_hz", d.boost_clock_hz},
      {"memory_clock_hz", d.memory_clock_hz},
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

DeviceInfo device_from_json(const Json& j) {
  DeviceInfo d;
  const std::string target = j.at("target");
  if (target != "cuda" && target != "host") {
    throw std::runtime_error("'target' is '" + target + "', expected 'cuda' or 'host'");
  }
  d.target = target == "cuda" ? Target::cuda : Target::host;
  d.name = j.at("name");
  d.uuid = j.value("uuid", "");
  d.compute_capability = j.value("compute_capability", 0);
  d.units = j.value("units", 0);
  d.boost_clock_hz = j.value("boost_clock_hz", 0.0);
  d.memory_clock_hz = j.value("memory_clock_hz", 0.0);
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

// A sample is known to far fewer digits than a double has; six keep the file small.
double six_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

// By column, as thousands of samples would repeat their field names otherwise.
Json samples_to_json(const std::vector<Sample>& samples) {
  Json value = Json::array();
  Json clock = Json::array();
  Json power = Json::array();
  Json throttled = Json::array();
  for (const Sample& s : samples) {
    value.push_back(six_digits(s.value));
    clock.push_back(six_digits(s.clock_hz));
    power.push_back(six_digits(s.power_w));
    throttled.push_back(s.throttled ? 1 : 0);
  }
  return {{"value", value}, {"clock_hz", clock}, {"power_w", power}, {"throttled", throttled}};
}

std::vector<Sample> samples_from_json(const Json& j) {
  if (!j.is_object()) {
    throw std::runtime_error(
        "'samples' must be an object of columns (value, clock_hz, power_w, throttled); measure "
        "again with 'mansard characterize'");
  }
  std::vector<Sample> samples;
  const Json& value = j.at("value");
  for (const char* column : {"clock_hz", "power_w", "throttled"}) {
    if (j.at(column).size() != value.size()) {
      throw std::runtime_error("'samples." + std::string(column) + "' has " +
                               std::to_string(j.at(column).size()) + " entries, 'value' has " +
                               std::to_string(value.size()));
    }
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    samples.push_back(
        {value[i], j.at("clock_hz")[i], j.at("power_w")[i], j.at("throttled")[i].get<int>() != 0});
  }
  return samples;
}

// Indented, but with arrays of numbers on one line.
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

Json ceiling_to_json(const Ceiling& c) {
  Json j = {{"id", c.id}, {"role", to_string(c.role)}};
  if (c.precision) j["precision"] = info(*c.precision).key;
  if (c.level) j["level"] = info(*c.level).key;
  j["value"] = c.value;
  j["unit"] = c.unit;
  j["spread"] = c.spread;
  j["regime"] = to_string(c.regime);
  if (!c.data_pattern.empty()) j["data_pattern"] = c.data_pattern;
  j["clock_hz"] = c.clock_hz;
  j["power_w"] = c.power_w;
  j["fraction_of_theory_at_clock"] = c.fraction_of_theory_at_clock;
  j["kernel"] = c.kernel;
  j["parameters"] = c.parameters;
  j["source"] = c.source;
  if (!c.samples.empty()) j["samples"] = samples_to_json(c.samples);
  return j;
}

Ceiling ceiling_from_json(const Json& j) {
  Ceiling c;
  c.id = j.at("id");
  c.role = parse_enum(j.at("role").get<std::string>(), "role",
                      std::array{KernelRole::compute_ceiling, KernelRole::bandwidth_ceiling,
                                 KernelRole::overhead_ceiling});
  if (j.contains("precision")) {
    const std::string key = j.at("precision");
    c.precision = parse_precision(key);
    if (!c.precision) throw std::runtime_error("'precision' is '" + key + "', which is unknown");
  }
  if (j.contains("level")) {
    const std::string key = j.at("level");
    c.level = parse_memory_level(key);
    if (!c.level) throw std::runtime_error("'level' is '" + key + "', which is unknown");
  }
  c.value = j.at("value");
  c.unit = j.at("unit");
  c.spread = j.value("spread", 0.0);
  c.regime = parse_enum(j.value("regime", "burst"), "regime",
                        std::array{Regime::burst, Regime::sustained, Regime::theoretical});
  c.data_pattern = j.value("data_pattern", "");
  c.clock_hz = j.value("clock_hz", 0.0);
  c.power_w = j.value("power_w", 0.0);
  c.fraction_of_theory_at_clock = j.value("fraction_of_theory_at_clock", 0.0);
  c.kernel = j.value("kernel", "");
  c.parameters = j.value("parameters", std::map<std::string, std::string>{});
  c.source = j.value("source", "");
  if (j.contains("samples")) c.samples = samples_from_json(j.at("samples"));
  return c;
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

std::string to_json(const MachineModel& model) {
  Json j = {{"mansard_machine_model", MachineModel::kSchemaVersion},
            {"name", model.name},
            {"provenance", provenance_to_json(model.provenance)},
            {"devices", Json::array()}};
  for (const DeviceModel& d : model.devices) {
    Json device = {{"device", device_to_json(d.device)}, {"ceilings", Json::array()}};
    for (const Ceiling& c : d.ceilings) device["ceilings"].push_back(ceiling_to_json(c));
    device["sweep"] = Json::array();
    for (const SweepPoint& p : d.sweep) {
      device["sweep"].push_back({{"kernel", p.kernel},
                                 {"working_set_bytes", p.working_set_bytes},
                                 {"bytes_per_s", p.value}});
    }
    j["devices"].push_back(std::move(device));
  }
  std::string text;
  write_json(j, 0, text);
  return text + "\n";
}

MachineModel machine_model_from_json(std::string_view json, const std::string& what) {
  try {
    const Json j = Json::parse(json);
    if (!j.is_object() || !j.contains("mansard_machine_model")) {
      throw std::runtime_error(
          "this is no machine model (no field 'mansard_machine_model'); make one with "
          "'mansard characterize -o machine.json'");
    }
    const int version = j.at("mansard_machine_model");
    if (version != MachineModel::kSchemaVersion) {
      throw std::runtime_error("it has schema version " + std::to_string(version) +
                               ", this program reads version " +
                               std::to_string(MachineModel::kSchemaVersion) +
                               "; measure again with 'mansard characterize', or use the Mansard "
                               "that wrote it");
    }
    MachineModel model;
    model.name = j.value("name", "");
    model.provenance = provenance_from_json(j.at("provenance"));
    for (const Json& d : j.at("devices")) {
      DeviceModel device;
      device.device = device_from_json(d.at("device"));
      for (const Json& c : d.at("ceilings")) device.ceilings.push_back(ceiling_from_json(c));
      for (const Json& p : d.value("sweep", Json::array())) {
        device.sweep.push_back({p.at("kernel"), p.at("working_set_bytes"), p.at("bytes_per_s")});
      }
      model.devices.push_back(std::move(device));
    }
    return model;
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot read machine model '" + what + "': " + error.what());
  }
}

MachineModel load_machine_model(const std::filesystem::path& file) {
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

}  // namespace mansard
