// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "analyzer/explain/ceiling_ratio.h"
#include "analyzer/explain/ledger_builder.h"
#include "analyzer/power_model.h"
#include "collector/import/profile_source.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kSameWork = 0.02;  // runs of the same work differ by less, in FLOPs
constexpr double kSameMeanClock = 0.01;
constexpr double kRounding = 1e-15;  // relative rounding error of sums of doubles
// Classes that change by less than this share of the gap are merged into one line.
constexpr double kSmallLine = 0.005;

struct Conversion {
  OperationClass operation_class;
  std::string_view meaning;
};
const std::array kConversions = {
    Conversion{"amax", "Absolute maxima, from which the scales are computed"},
    Conversion{"quantize", "Quantization of operands to the low precision"},
    Conversion{"rht", "Random Hadamard transforms (RHT) of operands"},
    Conversion{"transpose", "Transposes of operands for dgrad and wgrad"},
    Conversion{"cast", "Conversions of the number format"},
    Conversion{"dequantize", "Dequantization of low-precision values"},
};

bool is_conversion(OperationClass operation_class) {
  return std::any_of(kConversions.begin(), kConversions.end(), [&](const Conversion& conversion) {
    return conversion.operation_class == operation_class;
  });
}

// A step of one run cannot be compared with the whole other run.
void require_alike(const RunAnalysis& baseline, const RunParts& a, const RunAnalysis& candidate,
                   const RunParts& b) {
  if (a.whole == b.whole) return;
  const std::string whole = (a.whole ? baseline : candidate).profile.file.string();
  const std::string other = (a.whole ? candidate : baseline).profile.file.string();
  throw std::invalid_argument(
      "no steps were found in " + whole + ", and a step of " + other +
      " cannot be compared with the whole run; name the NVTX ranges that mark steps in both with "
      "--step-range, or profile " +
      whole + " again with such ranges");
}

class GapLedger {
 public:
  GapLedger(const RunAnalysis& baseline, const RunAnalysis& candidate,
            const ExplainOptions& options)
      : a_(run_parts(baseline)),
        b_(run_parts(candidate)),
        gemms_(convert_gemms(a_.gemms, b_.gemms)),
        candidate_(candidate),
        unit_(candidate),
        power_(candidate, unit_) {
    require_alike(baseline, a_, candidate, b_);
    set_ratio(ceiling_ratio(baseline, candidate, gemms_, options.ceiling_ratio));
    set_clocks(ceiling_clock_hz(baseline, gemms_.baseline),
               ceiling_clock_hz(candidate, gemms_.candidate ? gemms_.candidate : gemms_.baseline));
    set_advice(collector::profile_source(baseline.profile.session),
               collector::profile_source(candidate.profile.session));
    ledger_.kind = LedgerKind::gap;
    ledger_.baseline_s = a_.step_s;
    ledger_.ideal_s = a_.step_s / ratio_.value;
    ledger_.measured_s = b_.step_s;
    if (clocks_used_) set_power();
  }

  Ledger build() {
    add_amdahl();
    add_kept();
    add_converted();
    const bool any_converted = !gemms_.converted.empty();
    add(make_line("high_precision_gemms_changed",
                  any_converted ? "high-precision GEMMs, change" : "GEMMs, change",
                  "Candidate - baseline, clock loss excluded", kept_changes(), kGemmClass));
    add_classes();
    add_removable(make_line("graphs", "CUDA graphs, change",
                            "Candidate - baseline: CUDA graphs recorded without their kernels",
                            {detail("CUDA graphs", a_.graphs_s, b_.graphs_s)}));
    add_removable(make_line("memcpy_memset", "memcpy and memset",
                            "Candidate - baseline: memcpy and memset while no kernel runs",
                            differences(a_.memory, b_.memory, ratio_.value)));
    add_idle();
    add_removable(make_line("communication", "exposed communication",
                            "Candidate - baseline: collectives while no compute kernel runs",
                            differences(a_.communication, b_.communication, ratio_.value)));
    add_removable(
        make_line("rank_wait", "waiting for ranks",
                  "Candidate - baseline: exposed collectives before the last rank starts them",
                  differences(a_.rank_wait, b_.rank_wait, ratio_.value)));
    std::vector<LedgerDetail> sync = differences(a_.replica_sync, b_.replica_sync, ratio_.value);
    sync.push_back(detail("waiting on the host", replica_wait_s(a_), replica_wait_s(b_)));
    add_removable(make_line("replica_sync", "exposed synchronization of replicas",
                            "Candidate - baseline: the step waits for a range 'synchronization', "
                            "or for device work launched in it",
                            std::move(sync)));
    add_power();
    add_notes();
    return std::move(ledger_);
  }

 private:
  // T (1 - 1/R): the saving that the ideal assumes.
  double beyond_ideal(double baseline_s) const { return baseline_s - baseline_s / ratio_.value; }

  // Candidate - baseline.
  LedgerDetail detail(std::string label, double baseline_s, double candidate_s) const {
    return make_detail(std::move(label), baseline_s, candidate_s, ratio_.value,
                       candidate_s - baseline_s);
  }

  void set_ratio(CeilingRatio ratio) {
    ratio_ = std::move(ratio);
    ledger_.ceiling_ratio = ratio_.value;
    ledger_.ratio_source = ratio_.source;
    if (!ratio_.all_gemms) return;
    gemms_.converted = b_.gemms;
    gemms_.baseline_converted = a_.gemms;
    gemms_.kept.clear();
    gemms_.baseline_kept.clear();
  }

  // If the clocks of the ceilings are unknown and the GPUs are of the same model, the higher of the
  // two runs' clocks is the reference.
  void set_clocks(double ceiling_a_hz, double ceiling_b_hz) {
    if (!a_.sm_clock_hz || !b_.sm_clock_hz) return;
    if (!(ceiling_a_hz > 0) || !(ceiling_b_hz > 0)) {
      if (ratio_.different_gpus) return;
      ceiling_a_hz = ceiling_b_hz = std::max(*a_.sm_clock_hz, *b_.sm_clock_hz);
    }
    clock_a_ = *a_.sm_clock_hz / ceiling_a_hz;
    clock_b_ = *b_.sm_clock_hz / ceiling_b_hz;
    clocks_used_ = true;
  }

  // Models the candidate without the work that it adds outside compute-bound kernels. At the power
  // limit this changes the SM clock, and with it the time of compute-bound kernels.
  void set_power() {
    if (!power_.limited()) return;
    std::vector<RowChange> changes(candidate_.rows.size());
    double removed_s = 0;
    const auto remove_added = [&](const std::vector<KernelPart>& baseline,
                                  const std::vector<KernelPart>& candidate) {
      const double time_s = total_s(candidate);
      const double added_s = time_s - total_s(baseline);
      if (!(added_s > 0)) return;
      for (const KernelPart& part : candidate) {
        if (computes(part)) continue;
        const double left = 1 - added_s / time_s;
        changes[row_index(part)] = {left, left};
        removed_s += unit_.time_s(row_index(part)) * (1 - left);
      }
    };
    for (const auto& [c, parts] : b_.classes) remove_added(of_class(a_, c), parts);
    remove_added(a_.memory, b_.memory);
    remove_added(a_.communication, b_.communication);
    remove_added(a_.replica_sync, b_.replica_sync);
    const double idle_s = std::accumulate(b_.idle_s.begin(), b_.idle_s.end(), 0.0);
    const double added_idle_s = idle_s - std::accumulate(a_.idle_s.begin(), a_.idle_s.end(), 0.0);
    const double idle = added_idle_s > 0 ? 1 - added_idle_s / idle_s : 1;
    removed_s += idle_s * (1 - idle);
    const double at_clock_s = b_.step_s - removed_s;
    const PredictedStep without = power_.predict(changes, idle);
    slowdown_ = power_.clock_hz() / *without.clock_hz - 1;
    loss_per_removed_ = removed_s > 0 ? (without.time_s - at_clock_s) / removed_s : 0;
    ledger_.notes.push_back(
        "The candidate runs at its power limit. Without the " + format_si(removed_s, "s") +
        " that it adds outside compute-bound kernels, its SM clock would go from " +
        format_si(power_.clock_hz(), "Hz") + " to " + format_si(*without.clock_hz, "Hz") +
        ", and the time of compute-bound kernels would change by " +
        format_si(without.time_s - at_clock_s, "s") + " (" +
        format_si(without.model_low_s - at_clock_s, "s") + " to " +
        format_si(without.model_high_s - at_clock_s, "s") + "; modeled).");
  }

  std::size_t row_index(const KernelPart& part) const {
    return static_cast<std::size_t>(part.row - candidate_.rows.data());
  }
  bool computes(const KernelPart& part) const { return power_.is_compute_bound(row_index(part)); }

  // Adds `sign` x the time that each of the candidate's compute-bound kernels would lose at the
  // clock of set_power().
  void add_slowdown(KernelDetails& details, const std::vector<KernelPart>& parts,
                    double sign) const {
    if (slowdown_ == 0) return;
    for (const KernelPart& part : parts) {
      if (computes(part)) details.add(part, sign * part.time_s * slowdown_);
    }
  }

  // Appends this time for all kernels that are not GEMMs.
  void append_slowdown(std::vector<LedgerDetail>& details, double sign) const {
    for (const auto& [c, parts] : b_.classes) {
      KernelDetails kernels(of_class(a_, c), parts, ratio_.value);
      add_slowdown(kernels, parts, sign);
      const std::vector<LedgerDetail> more = kernels.details();
      details.insert(details.end(), more.begin(), more.end());
    }
  }

  void set_advice(collector::ProfileSource baseline, collector::ProfileSource candidate) {
    advice_ = std::string(collector::how_to_get_work(baseline));
    if (candidate == baseline) return;
    advice_ = "Baseline: " + advice_ +
              " Candidate: " + std::string(collector::how_to_get_work(candidate));
  }

  static double ceiling_clock_hz(const RunAnalysis& run, std::optional<Precision> precision) {
    const roofline::Ceiling* ceiling = precision ? gemm_ceiling(run, *precision) : nullptr;
    return ceiling == nullptr ? 0 : ceiling->clock_hz;
  }

  // A line whose cause the candidate could do without. `parts`: its kernels in the candidate.
  void add_removable(LedgerLine line, const std::vector<KernelPart>& parts = {}) {
    if (line.time_s > 0) line.saving_s = line.time_s * (1 - loss_without(parts));
    add(std::move(line));
  }

  // Time that compute-bound kernels would lose without these kernels, per time that is removed.
  // Compute-bound kernels themselves are not part of set_power().
  double loss_without(const std::vector<KernelPart>& parts) const {
    if (loss_per_removed_ == 0 || parts.empty()) return loss_per_removed_;
    double other_s = 0;
    for (const KernelPart& part : parts) other_s += computes(part) ? 0 : part.time_s;
    return loss_per_removed_ * other_s / total_s(parts);
  }

  void add(LedgerLine line) {
    if (std::fabs(line.time_s) <= kRounding * (ledger_.baseline_s + ledger_.measured_s)) return;
    ledger_.lines.push_back(std::move(line));
  }

  void add_amdahl() {
    std::vector<LedgerDetail> details;
    const auto add_detail = [&](std::string label, std::optional<double> baseline_s,
                                std::optional<double> candidate_s) {
      if (baseline_s.value_or(0) == 0) return;
      details.push_back(make_detail(std::move(label), baseline_s, candidate_s, ratio_.value,
                                    beyond_ideal(*baseline_s)));
    };
    for (const auto& [c, parts] : a_.classes) {
      add_detail(c.name(), measured_s(parts), measured_s(of_class(b_, c)));
    }
    add_detail("exposed communication", measured_s(a_.communication), measured_s(b_.communication));
    add_detail("waiting for ranks", measured_s(a_.rank_wait), measured_s(b_.rank_wait));
    add_detail("exposed synchronization of replicas", a_.replica_sync_s, b_.replica_sync_s);
    add_detail("CUDA graphs", a_.graphs_s, b_.graphs_s);
    add_detail("memcpy and memset", a_.copies_s, b_.copies_s);
    for (const IdleCauseInfo& cause : idle_cause_infos()) {
      const std::size_t i = static_cast<std::size_t>(cause.id);
      add_detail("idle: " + std::string(cause.label), a_.idle_s[i], b_.idle_s[i]);
    }
    add(make_line("non_gemm", "non-GEMM time (Amdahl)",
                  "(T_A - G_A) (1 - 1/R): saving that the ideal assumes for baseline time outside "
                  "GEMMs; R: ratio of ceilings",
                  std::move(details)));
  }

  KernelDetails gemm_details() const { return {a_.gemms, b_.gemms, ratio_.value}; }

  void add_kept() {
    KernelDetails details = gemm_details();
    for (const KernelPart& part : gemms_.baseline_kept) {
      details.add(part, beyond_ideal(part.time_s));
    }
    add(make_line("high_precision_gemms",
                  gemms_.converted.empty() ? "GEMMs" : "high-precision GEMMs",
                  "G_A,k (1 - 1/R): saving that the ideal assumes for baseline GEMMs that are not "
                  "converted; R: ratio of ceilings",
                  details.details(), kGemmClass));
  }

  // Compares converted GEMMs with baseline / R, in up to three lines.
  void add_converted() {
    const std::string gemms = ratio_.all_gemms ? "GEMMs" : "converted GEMMs";
    const bool limits = all_limited(gemms_.converted) && all_limited(gemms_.baseline_converted);
    if (limits) {
      add(make_line(
          "gemm_memory_bound", "GEMMs now memory-bound",
          "SOL time of " + gemms + ": candidate - baseline / R",
          converted_details([](const KernelPart& part, bool) { return part.sol_s; }).details(),
          kGemmClass));
    }
    const auto lost = [&](const KernelPart& part, bool is_baseline) {
      return part.time_s * (1 - (is_baseline ? clock_a_ : clock_b_));
    };
    KernelDetails clock = converted_details(lost);
    for (const KernelPart& part : gemms_.kept) clock.add(part, lost(part, false));
    for (const KernelPart& part : gemms_.baseline_kept) clock.subtract(part, lost(part, true));
    add_slowdown(clock, b_.gemms, 1);
    std::vector<LedgerDetail> clock_details = clock.details();
    append_slowdown(clock_details, 1);
    add(make_line(
        "clock", "clock and power",
        std::string("GEMM time lost because SM clocks are below the ceilings' clocks: candidate "
                    "- baseline / R (high-precision GEMMs: candidate - baseline)") +
            (slowdown_ != 0 ? "; the line 'power' is subtracted" : ""),
        std::move(clock_details), kGemmClass));
    add(make_line("gemm_efficiency", "GEMM efficiency",
                  "Time of " + gemms +
                      (limits ? " beyond SOL time and clock loss" : " beyond clock loss") +
                      ": candidate - baseline / R",
                  converted_details([&](const KernelPart& part, bool is_baseline) {
                    return part.time_s - (limits ? part.sol_s : 0) - lost(part, is_baseline);
                  }).details(),
                  kGemmClass));
  }

  // Candidate - baseline of kept GEMMs, scaled to the ceilings' clock.
  std::vector<LedgerDetail> kept_changes() const {
    KernelDetails details = gemm_details();
    for (const KernelPart& part : gemms_.baseline_kept) {
      details.subtract(part, part.time_s * clock_a_);
    }
    for (const KernelPart& part : gemms_.kept) details.add(part, part.time_s * clock_b_);
    return details.details();
  }

  static bool all_limited(const std::vector<KernelPart>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [](const KernelPart& part) { return part.sol_s > 0 || part.time_s == 0; });
  }

  // Sums value(part, is_baseline) over the converted GEMMs: candidate - baseline / R.
  template <class Value>
  KernelDetails converted_details(const Value& value) const {
    KernelDetails details = gemm_details();
    for (const KernelPart& part : gemms_.converted) details.add(part, value(part, false));
    for (const KernelPart& part : gemms_.baseline_converted) {
      details.subtract(part, value(part, true) / ratio_.value);
    }
    return details;
  }

  static const std::vector<KernelPart>& of_class(const RunParts& run,
                                                 OperationClass operation_class) {
    static const std::vector<KernelPart> kNone;
    const auto found = run.classes.find(operation_class);
    return found == run.classes.end() ? kNone : found->second;
  }

  void add_classes() {
    for (const Conversion& conversion : kConversions) {
      const OperationClass c = conversion.operation_class;
      add_removable(make_line(c.name(), c.name() + " kernels", std::string(conversion.meaning),
                              differences(of_class(a_, c), of_class(b_, c), ratio_.value), c),
                    of_class(b_, c));
    }
    std::map<OperationClass, bool> others;
    for (const RunParts* run : {&a_, &b_}) {
      for (const auto& [c, parts] : run->classes) others[c] = !is_conversion(c);
    }
    const double small_s = kSmallLine * std::fabs(ledger_.measured_s - ledger_.ideal_s);
    std::vector<LedgerDetail> small;
    for (const auto& [c, is_other] : others) {
      if (!is_other) continue;
      const std::vector<KernelPart>& of_a = of_class(a_, c);
      const std::vector<KernelPart>& of_b = of_class(b_, c);
      LedgerLine line = make_line(c.name(), c.name() + " kernels, change",
                                  "Candidate - baseline: different fusion, kernels or clocks",
                                  differences(of_a, of_b, ratio_.value), c);
      if (std::fabs(line.time_s) < small_s) {
        small.push_back(
            make_detail(c.name(), measured_s(of_a), measured_s(of_b), ratio_.value, line.time_s));
      } else {
        add_removable(std::move(line), of_b);
      }
    }
    add_removable(
        make_line("other_kernels", "other kernels, change",
                  "Candidate - baseline: kernel classes that change by less than 0.5 % of the gap",
                  std::move(small)));
  }

  void add_idle() {
    for (const IdleCauseInfo& cause : idle_cause_infos()) {
      const std::size_t i = static_cast<std::size_t>(cause.id);
      const std::string label = "idle: " + std::string(cause.label);
      add_removable(make_line("idle_" + std::string(cause.key), label,
                              std::string(cause.description),
                              {detail(label, a_.idle_s[i], b_.idle_s[i])}));
    }
  }

  void add_power() {
    KernelDetails gemms = gemm_details();
    add_slowdown(gemms, b_.gemms, -1);
    std::vector<LedgerDetail> details = gemms.details();
    append_slowdown(details, -1);
    add(make_line("power", "clock change from added work (power limit)",
                  "Modeled time change of compute-bound kernels: the work that the candidate adds "
                  "(lines above) draws less or more power than they do and changes the SM clock",
                  std::move(details)));
  }

  void add_notes() {
    std::vector<std::string>& notes = ledger_.notes;
    notes.push_back("Baseline: " + format_whole(a_.steps) + " typical steps (" + a_.how +
                    "); candidate: " + format_whole(b_.steps) + " (" + b_.how + ").");
    notes.insert(notes.end(), ratio_.notes.begin(), ratio_.notes.end());
    if (!gemms_.note.empty()) notes.push_back(gemms_.note + " " + advice_);
    double flop_a = 0;
    double flop_b = 0;
    bool known = true;
    const auto add_flop = [&](const std::vector<KernelPart>& parts, double& sum) {
      for (const KernelPart& part : parts) {
        sum += part.flop;
        known = known && part.flop > 0;
      }
    };
    add_flop(a_.gemms, flop_a);
    add_flop(b_.gemms, flop_b);
    if (known && std::fabs(flop_b - flop_a) > kSameWork * flop_a) {
      notes.push_back("The GEMMs of a step do " + format_si(flop_a, "FLOP") +
                      " in the baseline and " + format_si(flop_b, "FLOP") +
                      " in the candidate: the two runs do not do the same work.");
    }
    if (!a_.sm_clock_hz || !b_.sm_clock_hz) {
      notes.push_back(
          "Too few SM clock samples in the steps of the two runs: the cost of lower clocks is "
          "part of 'GEMM efficiency'.");
    } else if (!clocks_used_) {
      notes.push_back(
          "The machine models do not contain the clocks of their ceilings, so the clocks of the "
          "two GPUs are not compared: the cost of lower clocks is part of 'GEMM efficiency'.");
    } else if (std::fabs(*b_.sm_clock_hz / *a_.sm_clock_hz - 1) > kSameMeanClock) {
      notes.push_back("SM clock: " + format_si(*a_.sm_clock_hz, "Hz") + " in the baseline, " +
                      format_si(*b_.sm_clock_hz, "Hz") + " in the candidate.");
    }
  }

  RunParts a_;
  RunParts b_;
  ConvertedGemms gemms_;
  CeilingRatio ratio_;
  double clock_a_ = 1;  // clock in typical steps / ceilings' clock; 1: unknown
  double clock_b_ = 1;
  bool clocks_used_ = false;
  const RunAnalysis& candidate_;
  RunUnit unit_;  // the candidate's
  PowerModel power_;
  // Relative slowdown of the candidate's compute-bound kernels at the clock modeled without the
  // work that it adds.
  double slowdown_ = 0;
  // Time that compute-bound kernels would lose to that clock, per time of the added work.
  double loss_per_removed_ = 0;
  std::string advice_;  // how to get FLOPs of GEMMs with the tools that wrote the profiles
  Ledger ledger_;
};

}  // namespace

double Ledger::residual_s() const {
  double sum_s = ideal_s;
  for (const LedgerLine& line : lines) sum_s += line.time_s;
  return measured_s - sum_s;
}

Ledger explain_gap(const RunAnalysis& baseline, const RunAnalysis& candidate,
                   const ExplainOptions& options) {
  return GapLedger(baseline, candidate, options).build();
}

}  // namespace mansard::analysis
