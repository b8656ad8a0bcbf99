// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/compare_models.h"

#include <algorithm>
#include <cmath>

namespace mansard::roofline {
namespace {

// The n-th device with `target`.
const DeviceModel* nth(const MachineModel& model, kernels::Target target, int n) {
  for (const DeviceModel& d : model.devices) {
    if (d.device.target == target && n-- == 0) return &d;
  }
  return nullptr;
}

const DeviceModel* counterpart(const MachineModel& model, const DeviceModel& device, int n) {
  const DeviceModel* same = model.find_device(device.device.name, device.device.uuid);
  return same != nullptr ? same : nth(model, device.device.target, n);
}

CeilingComparison compare(const std::string& device, const Ceiling* a, const Ceiling* b) {
  CeilingComparison c;
  c.id = a != nullptr ? a->id : b->id;
  c.device = device;
  c.a = a;
  c.b = b;
  if (a == nullptr || b == nullptr || a->value <= 0 || b->value <= 0) return c;
  c.ratio = a->unit == "s" ? a->value / b->value : b->value / a->value;
  if (a->fraction_of_theory_at_clock > 0 && b->fraction_of_theory_at_clock > 0) {
    c.ratio_at_clock = b->fraction_of_theory_at_clock / a->fraction_of_theory_at_clock;
  }
  if (a->uncertainty > 0 && b->uncertainty > 0) {
    c.uncertainty = std::hypot(a->uncertainty, b->uncertainty);
    c.significant = std::fabs(std::log(c.ratio)) > c.uncertainty;
  }
  return c;
}

}  // namespace

std::vector<CeilingComparison> compare_models(const MachineModel& a, const MachineModel& b) {
  std::vector<CeilingComparison> all;
  std::vector<const DeviceModel*> taken;
  int gpus = 0;
  int hosts = 0;
  for (const DeviceModel& da : a.devices) {
    const int n = da.device.target == kernels::Target::cuda ? gpus++ : hosts++;
    const DeviceModel* db = counterpart(b, da, n);
    if (std::ranges::find(taken, db) != taken.end()) db = nullptr;
    for (const Ceiling& c : da.ceilings) {
      all.push_back(compare(da.device.name, &c, db != nullptr ? db->find(c.id) : nullptr));
    }
    if (db == nullptr) continue;
    taken.push_back(db);
    for (const Ceiling& c : db->ceilings) {
      if (da.find(c.id) == nullptr) all.push_back(compare(db->device.name, nullptr, &c));
    }
  }
  for (const DeviceModel& db : b.devices) {
    if (std::ranges::find(taken, &db) != taken.end()) continue;
    for (const Ceiling& c : db.ceilings) all.push_back(compare(db.device.name, nullptr, &c));
  }
  return all;
}

}  // namespace mansard::roofline
