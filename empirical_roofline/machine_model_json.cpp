// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "empirical_roofline/json_fields.h"
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

std::string how_to_make_one() { return "; make one with 'mansard characterize -o machine.json'"; }

Json parsed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) {
    throw std::runtime_error("it is empty" + how_to_make_one());
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // One that was cut short is worth another word than what never was JSON.
    if (text[text.find_first_not_of(kBlanks)] != '{') {
      throw std::runtime_error("it is no machine model, which would be JSON" + how_to_make_one());
    }
    throw std::runtime_error("its JSON is broken after " + std::to_string(error.byte - 1) + " of " +
                             std::to_string(text.size()) + " bytes" + how_to_make_one());
  }
}

// Without the library's name and number of the error: "key 'devices' not found".
std::string reason_of(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

Plateau plateau_from_json(const Json& j) {
  const std::string key = j.at("level");
  const std::optional<MemoryLevel> level = parse_memory_level(key);
  if (!level) throw std::runtime_error("'level' is '" + key + "', which is unknown");
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
      device["sweep"].push_back({{"kernel", p.kernel},
                                 {"working_set_bytes", p.working_set_bytes},
                                 {sweep_field(p.unit), p.value}});
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
      throw std::runtime_error("it is no machine model (no field 'mansard_machine_model')" +
                               how_to_make_one());
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
        const std::string unit = p.contains("bytes_per_s") ? "B/s" : "s";
        device.sweep.push_back(
            {p.at("kernel"), p.at("working_set_bytes"), p.at(sweep_field(unit)), unit});
      }
      for (const Json& p : d.value("plateaus", Json::array())) {
        device.plateaus.push_back(plateau_from_json(p));
      }
      model.devices.push_back(std::move(device));
    }
    return model;
  } catch (const Json::exception& error) {
    throw std::runtime_error("cannot read machine model '" + what +
                             "': a field is missing or wrong: " + reason_of(error) +
                             how_to_make_one());
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot read machine model '" + what + "': " + error.what());
  }
}

MachineModel load_machine_model(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMost_bytes = 64 << 20;  // 40 times a full model
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

}  // namespace mansard::roofline
