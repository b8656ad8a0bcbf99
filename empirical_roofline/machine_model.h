// SPDX-License-Identifier: Apache-2.0
// A machine model: the measured (or published) ceilings of a machine, each with its provenance.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/vocabulary/memory_level.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::roofline {

enum class Origin { measured, datasheet };
enum class Regime { burst, sustained, theoretical };

struct Sample {
  double value = 0;     // in the ceiling's unit
  double clock_hz = 0;  // 0: unknown; also below
  double power_w = 0;
  double temperature_c = 0;
  double fraction = 0;     // of theoretical peak at the measured clock
  int campaign = 0;        // samples of a campaign are consecutive; campaigns are separated in time
  bool throttled = false;  // the device throttled its clock (power, temperature)
  bool settling = false;   // of a sustained ceiling: before the clock settled; not counted
};

struct Ceiling {
  std::string id;  // kernel name, then "@level", "@pattern", "@sustained" where needed
  kernels::KernelRole role = kernels::KernelRole::compute_ceiling;
  std::optional<Precision> precision;
  std::optional<MemoryLevel> level;
  std::optional<kernels::Overhead> overhead;
  bool roof = true;        // used as a roof for programs (KernelSpec::roof)
  std::string unit;        // "FLOP/s", "op/s", "B/s" or "s"
  double value = 0;        // median of the campaigns' medians, or the published figure
  double spread = 0;       // interquartile range of all samples / value; 0 for published figures
  double uncertainty = 0;  // relative half width of the 95 % confidence interval; 0: unknown
  int campaigns = 0;
  std::vector<Sample> samples;  // all, in measured order
  std::string data_pattern;     // of the operands; empty: no operand data
  Regime regime = Regime::burst;
  double clock_hz = 0;  // medians over the samples; 0: unknown
  double power_w = 0;
  double temperature_c = 0;
  double fraction_of_theory_at_clock = 0;  // 0: unknown
  double fraction_of_theory_at_boost = 0;
  std::string throttled_by;  // throttle reasons during the samples; empty: none
  std::string kernel;
  std::map<std::string, std::string> parameters;
  std::string source;  // "measured", or the publication
};

enum class SweepAxis { working_set, message };

// A point of a sweep: bandwidth or latency over working-set size, or the bus bandwidth of a
// collective over message size.
struct SweepPoint {
  std::string kernel;
  double bytes = 0;  // of the working set or the message
  double value = 0;
  std::string unit = "B/s";  // or "s" per access
  int ranks = 0;             // GPUs of the collective; 0: not a collective
  double call_s = 0;         // time of a call of the collective
  SweepAxis axis() const { return ranks > 0 ? SweepAxis::message : SweepAxis::working_set; }
};

// A flat part of a sweep: a memory tier that holds working sets of these sizes.
struct Plateau {
  std::string kernel;
  MemoryLevel level;
  double value = 0;  // median over its points, in `unit`
  std::string unit;
  double first_bytes = 0;  // smallest and largest working set of the plateau
  double last_bytes = 0;
};

struct DeviceModel {
  kernels::DeviceInfo device;
  std::vector<Ceiling> ceilings;
  std::vector<SweepPoint> sweep;
  std::vector<Plateau> plateaus;

  // The highest compute ceiling of a precision, and the highest bandwidth of a memory tier, among
  // ceilings with `roof`. Falls back to ceilings on uniform data or zeros (compute), and to those
  // without `roof`, only if there is nothing else.
  const Ceiling* compute(Precision precision) const;
  const Ceiling* bandwidth(MemoryLevel level) const;
  const Ceiling* find(std::string_view id) const;
  // Seconds per kernel launch with the cheapest mechanism, because SOL time is a lower bound.
  std::optional<double> launch_s() const;
};

struct Provenance {
  Origin origin = Origin::measured;
  std::string date_utc;  // ISO 8601
  std::string host;
  std::string driver_version;
  std::string cuda_version;
  std::string mansard_version;
  std::string command;
  std::string source;  // publication, for datasheets
};

struct MachineModel {
  static constexpr int kSchemaVersion = 1;
  std::string name;
  Provenance provenance;
  std::vector<DeviceModel> devices;

  // Matches by UUID if both have one, else by exact device name; never by die code.
  const DeviceModel* find_device(std::string_view name, std::string_view uuid) const;
};

std::string to_json(const MachineModel& model);
// `what` names the text in errors. Throws std::runtime_error that names it and the field, with
// advice.
MachineModel machine_model_from_json(std::string_view json, const std::string& what);
MachineModel load_machine_model(const std::filesystem::path& file);

// Published peaks of known GPUs, one file per GPU in empirical_roofline/machines/datasheets.
const std::vector<MachineModel>& datasheet_models();
const MachineModel* find_datasheet(std::string_view device_name);

std::string_view to_string(Origin origin);
std::string_view to_string(Regime regime);
std::string_view to_string(kernels::KernelRole role);

}  // namespace mansard::roofline
