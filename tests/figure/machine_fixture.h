// SPDX-License-Identifier: Apache-2.0
// A machine for tests of figures with round ceilings, so that ridge points are easy to compute.
#pragma once

#include <initializer_list>
#include <utility>

#include "empirical_roofline/machine_model.h"

namespace mansard::testing {

inline roofline::Ceiling compute_ceiling(Precision precision, double flop_per_s) {
  roofline::Ceiling c;
  c.id = std::string(info(precision).key);
  c.role = kernels::KernelRole::compute_ceiling;
  c.precision = precision;
  c.unit = "FLOP/s";
  c.value = flop_per_s;
  return c;
}

inline roofline::Ceiling bandwidth_ceiling(MemoryLevel level, double bytes_per_s) {
  roofline::Ceiling c;
  c.id = std::string(info(level).key);
  c.role = kernels::KernelRole::bandwidth_ceiling;
  c.level = level;
  c.unit = "B/s";
  c.value = bytes_per_s;
  return c;
}

inline roofline::Ceiling launch_ceiling(double time_s) {
  roofline::Ceiling c;
  c.id = "launch_stream";
  c.role = kernels::KernelRole::overhead_ceiling;
  c.overhead = kernels::Overhead::kernel_launch;
  c.unit = "s";
  c.value = time_s;
  return c;
}

inline roofline::DeviceModel device(std::initializer_list<roofline::Ceiling> ceilings) {
  roofline::DeviceModel model;
  model.device.target = kernels::Target::cuda;
  model.device.name = "Test device";
  model.ceilings = ceilings;
  return model;
}

}  // namespace mansard::testing
