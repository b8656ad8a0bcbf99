// SPDX-License-Identifier: Apache-2.0
// High-precision GEMMs: in BF16 or FP16 in a run whose other GEMMs use 8 or 4 bits.
#include <map>

#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Smallest share of GEMM time in 8 or 4 bits in a low-precision run.
constexpr double kNarrowShare = 0.1;

bool is_narrow(Precision p) { return info(p).bits <= 8 && p != Precision::int8; }
bool is_wide(Precision p) { return p == Precision::bf16 || p == Precision::fp16; }

// Returns T_narrow / T_wide for the same GEMM at the machine's ceilings.
std::optional<double> time_ratio(const roofline::DeviceModel& machine, Precision narrow,
                                 Precision wide) {
  const auto time_s = [&](Precision p) {
    WorkTotals work;
    work.flop[p] = 1e12;
    return speed_of_light(work, machine).time_s;
  };
  const double narrow_s = time_s(narrow);
  const double wide_s = time_s(wide);
  if (!(narrow_s > 0) || !(wide_s > narrow_s)) return std::nullopt;
  return narrow_s / wide_s;
}

}  // namespace

std::vector<Advice> advise_on_high_precision_gemms(const RunAnalysis& run, const RunUnit& unit) {
  std::map<Precision, double> narrow_s;
  double gemm_s = 0;
  double all_narrow_s = 0;
  Advice advice;
  std::map<std::size_t, double> wide_s;  // by row
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.operation_class != kGemmClass || !row.precision || row.target == kernels::Target::host)
      continue;
    const double time_s = unit.duration_s(i);
    gemm_s += time_s;
    if (is_narrow(*row.precision)) {
      narrow_s[*row.precision] += time_s;
      all_narrow_s += time_s;
    } else if (is_wide(*row.precision)) {
      wide_s[i] = time_s;
      advice.concerned_s += time_s;
      advice.rows.push_back(i);
    }
  }
  if (all_narrow_s < kNarrowShare * gemm_s || !(all_narrow_s > 0)) return {};
  if (!worth_telling(advice.concerned_s, run, unit)) return {};
  Precision narrow = narrow_s.begin()->first;
  for (const auto& [precision, time_s] : narrow_s) {
    if (time_s > narrow_s[narrow]) narrow = precision;
  }
  double saving_s = 0;
  bool known = run.machine.has_value();
  for (const auto& [row, time_s] : wide_s) {
    const std::optional<double> ratio =
        known ? time_ratio(*run.machine, narrow, *run.rows[row].precision) : std::nullopt;
    known = known && ratio;
    if (!ratio) continue;
    saving_s += time_s * (1 - *ratio);
    // BF16 and FP8 GEMMs use about the same power (docs/power.md): the energy falls with the time.
    advice.row_savings.push_back({.row = row, .time_s = time_s * (1 - *ratio), .work_too = true});
  }
  if (known) advice.saving_s = saving_s;
  const std::string label(info(narrow).label);
  advice.id = "high_precision_gemms";
  advice.title = "High-precision GEMMs in an " + label + " run";
  advice.text = format_si(advice.concerned_s, "s") + " of " + format_si(gemm_s, "s") +
                " of GEMM time per " + std::string(unit.name()) + " are in BF16 or FP16." +
                (known ? " The saving follows from the ratio of the ceilings and does not include "
                         "the cost of converting operands."
                       : "");
  advice.remedy =
      "Unless these GEMMs stay in high precision on purpose (first and last layers, embeddings), "
      "convert them to " +
      label + ".";
  return {std::move(advice)};
}

}  // namespace mansard::analysis
