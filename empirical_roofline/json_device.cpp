// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/json_fields.h"

namespace mansard::roofline {

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
