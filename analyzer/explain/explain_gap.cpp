// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>

#include "analyzer/explain/converted_gemms.h"
#include "analyzer/explain/ledger_builder.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr double kSameWork = 0.02;  // FLOPs of two runs of the same work differ by less
constexpr double kSameClock = 0.01;
// What changed by less, of the whole gap, is put together.
constexpr double kSmallLine = 0.005;

struct Conversion {
  std::string_view operation_class;
  std::string_view meaning;
};
constexpr std::array kConversions = {
    Conversion{"amax", "Looking for the largest magnitudes that scales are made of"},
    Conversion{"quantize", "Rounding operands to the low precision"},
    Conversion{"rht", "Random Hadamard transforms of operands"},
    Conversion{"transpose", "Operands laid out for the other products"},
    Conversion{"cast", "Changes of number format"},
    Conversion{"dequantize", "Turning codes back into values"},
};

bool is_conversion(std::string_view operation_class) {
  return std::any_of(kConversions.begin(), kConversions.end(), [&](const Conversion& conversion) {
    return conversion.operation_class == operation_class;
  });
}

// Formats of one width share a tensor-core rate on every GPU so far; a machine model may hold one.
const Ceiling* compute_ceiling(const DeviceModel& machine, Precision precision) {
  if (const Ceiling* exact = machine.compute(precision)) return exact;
  if (precision == Precision::fp8_e5m2) return machine.compute(Precision::fp8_e4m3);
  return nullptr;
}

const Ceiling& required_ceiling(const RunAnalysis& run, Precision precision) {
  const Ceiling* ceiling = run.machine ? compute_ceiling(*run.machine, precision) : nullptr;
  if (ceiling == nullptr || !(ceiling->value > 0)) {
    throw std::invalid_argument("the machine model of " + run.profile.file.string() +
                                " has no ceiling for " + std::string(info(precision).label) +
                                ": give a model that has, or the ratio by --ceiling-ratio");
  }
  return *ceiling;
}

// A step of one run cannot be held against all of another.
void require_alike(const RunAnalysis& baseline, const RunParts& a, const RunAnalysis& candidate,
                   const RunParts& b) {
  if (a.whole == b.whole) return;
  const std::string whole = (a.whole ? baseline : candidate).profile.file.string();
  const std::string other = (a.whole ? candidate : baseline).profile.file.string();
  throw std::invalid_argument(
      "no steps were found in " + whole + ", and a step of " + other +
      " cannot be held against all of it: name the NVTX ranges that are steps in both with "
      "--steps-range, or record " +
      whole + " with such ranges");
}

class GapLedger {
 public:
  GapLedger(const RunAnalysis& baseline, const RunAnalysis& candidate,
            const ExplainOptions& options)
      : a_(run_parts(baseline, options.steps_range)),
        b_(run_parts(candidate, options.steps_range)),
        gemms_(convert_gemms(a_.gemms, b_.gemms)) {
    require_alike(baseline, a_, candidate, b_);
    set_ratio(baseline, candidate, options);
    ledger_.baseline_s = a_.step_s;
    ledger_.ideal_s = a_.step_s / ratio_;
    ledger_.measured_s = b_.step_s;
  }

  Ledger build() {
    add_amdahl();
    add_kept();
    add_converted();
    add(make_line(
        "kept_gemms_changed", "kept GEMMs, changed",
        "GEMMs in the high precision take longer, or less, than in the baseline",
        differences(at_clock(gemms_.baseline_kept, clock_a_), at_clock(gemms_.kept, clock_b_))));
    add_classes();
    add(make_line("graphs", "CUDA graphs, changed",
                  "Recorded as a whole: what is in them is not known",
                  {{"CUDA graphs", a_.graphs_s, b_.graphs_s, b_.graphs_s - a_.graphs_s}}));
    add(make_line("copies", "copies and fills", "While no kernel ran",
                  {{"copies and fills", a_.copies_s, b_.copies_s, b_.copies_s - a_.copies_s}}));
    add_idle();
    add(make_line("communication", "exposed communication", "Collectives while nothing computed",
                  differences(a_.communication, b_.communication)));
    add(make_line("arrival", "waiting for ranks",
                  "Collectives that the last rank had not begun yet, while nothing computed",
                  differences(a_.arrival, b_.arrival)));
    add_notes();
    return std::move(ledger_);
  }

 private:
  // Whatever is faster in the ideal and is no converted GEMM: 1 - 1/R of its time.
  double beyond_ideal(double baseline_s) const { return baseline_s - baseline_s / ratio_; }

  void set_ratio(const RunAnalysis& baseline, const RunAnalysis& candidate,
                 const ExplainOptions& options) {
    if (options.ceiling_ratio) {
      ratio_ = *options.ceiling_ratio;
      ledger_.ratio_source = "as given";
    } else if (gemms_.candidate) {
      const Ceiling& from = required_ceiling(baseline, *gemms_.baseline);
      const Ceiling& to = required_ceiling(candidate, *gemms_.candidate);
      ratio_ = to.value / from.value;
      ledger_.ratio_source = std::string(info(*gemms_.candidate).label) + " " +
                             format_si(to.value, to.unit) + " over " +
                             std::string(info(*gemms_.baseline).label) + " " +
                             format_si(from.value, from.unit);
    } else {
      ledger_.ratio_source = "no GEMM of the candidate runs in a lower precision";
    }
    ledger_.ceiling_ratio = ratio_;
    set_clocks(ceiling_clock_hz(baseline, gemms_.baseline),
               ceiling_clock_hz(candidate, gemms_.candidate ? gemms_.candidate : gemms_.baseline));
  }

  // Without the ceilings' clocks the two runs are held against the higher of their own.
  void set_clocks(double ceiling_a_hz, double ceiling_b_hz) {
    if (!a_.sm_clock_hz || !b_.sm_clock_hz) return;
    if (!(ceiling_a_hz > 0) || !(ceiling_b_hz > 0)) {
      ceiling_a_hz = ceiling_b_hz = std::max(*a_.sm_clock_hz, *b_.sm_clock_hz);
    }
    clock_a_ = *a_.sm_clock_hz / ceiling_a_hz;
    clock_b_ = *b_.sm_clock_hz / ceiling_b_hz;
  }

  static double ceiling_clock_hz(const RunAnalysis& run, std::optional<Precision> precision) {
    const Ceiling* ceiling =
        run.machine && precision ? compute_ceiling(*run.machine, *precision) : nullptr;
    return ceiling == nullptr ? 0 : ceiling->clock_hz;
  }

  void add(LedgerLine line) {
    if (line.time_s == 0) return;
    ledger_.lines.push_back(std::move(line));
  }

  void add_amdahl() {
    std::vector<LedgerDetail> details;
    const auto detail = [&](std::string label, double time_s) {
      if (time_s == 0) return;
      details.push_back({std::move(label), time_s, time_s / ratio_, beyond_ideal(time_s)});
    };
    for (const auto& [name, parts] : a_.classes) detail(name, total_s(parts));
    detail("exposed communication", total_s(a_.communication));
    detail("waiting for ranks", total_s(a_.arrival));
    detail("CUDA graphs", a_.graphs_s);
    detail("copies and fills", a_.copies_s);
    for (const IdleCauseInfo& cause : idle_cause_infos()) {
      detail("idle: " + std::string(cause.label), a_.idle_s[static_cast<std::size_t>(cause.id)]);
    }
    add(make_line("not_gemm", "what is no GEMM (Amdahl)",
                  "The baseline's time outside of GEMMs, which no faster GEMM shortens",
                  std::move(details)));
  }

  void add_kept() {
    std::vector<LedgerDetail> details;
    for (const KernelPart& part : gemms_.baseline_kept) {
      details.push_back(
          {part_label(part), part.time_s, part.time_s / ratio_, beyond_ideal(part.time_s)});
    }
    add(make_line("kept_gemms", "GEMMs kept in high precision",
                  "Layers that the recipe does not convert", std::move(details)));
  }

  // Converted GEMMs against the baseline's divided by R, in up to three lines.
  void add_converted() {
    const bool limits = all_limited(gemms_.converted) && all_limited(gemms_.baseline_converted);
    if (limits) {
      add(make_line(
          "gemm_memory_bound", "GEMMs at the new ridge",
          "Their speed of light gains less than the ceilings' ratio: memory bounds them now",
          converted_details([](const KernelPart& part) { return part.speed_of_light_s; })));
    }
    const auto lost = [&](const KernelPart& part, bool is_baseline) {
      return part.time_s * (1 - (is_baseline ? clock_a_ : clock_b_));
    };
    std::vector<LedgerDetail> clock = converted_details(lost);
    for (const KernelPart& part : gemms_.kept) {
      clock.push_back({part_label(part), 0, lost(part, false), lost(part, false)});
    }
    for (const KernelPart& part : gemms_.baseline_kept) {
      clock.push_back({part_label(part), lost(part, true), 0, -lost(part, true)});
    }
    add(make_line("clock", "clock and power",
                  "What GEMMs lose below the clock at which the ceilings were measured",
                  std::move(clock)));
    add(make_line("gemm_efficiency", "GEMM efficiency",
                  "Converted GEMMs are farther from their ceiling than the baseline's from its own",
                  converted_details([&](const KernelPart& part, bool is_baseline) {
                    return part.time_s - (limits ? part.speed_of_light_s : 0) -
                           lost(part, is_baseline);
                  })));
  }

  // As long as they would take at the ceilings' clock.
  static std::vector<KernelPart> at_clock(std::vector<KernelPart> parts, double clock) {
    for (KernelPart& part : parts) part.time_s *= clock;
    return parts;
  }

  static bool all_limited(const std::vector<KernelPart>& parts) {
    return std::all_of(parts.begin(), parts.end(), [](const KernelPart& part) {
      return part.speed_of_light_s > 0 || part.time_s == 0;
    });
  }

  // Of each converted GEMM of the candidate `value`, less the baseline's over R.
  template <class Value>
  std::vector<LedgerDetail> converted_details(const Value& value) const {
    const auto of = [&](const KernelPart& part, bool is_baseline) {
      if constexpr (std::is_invocable_v<Value, const KernelPart&, bool>) {
        return value(part, is_baseline);
      } else {
        return value(part);
      }
    };
    std::vector<LedgerDetail> details;
    for (const KernelPart& part : gemms_.converted) {
      const double v = of(part, false);
      details.push_back({part_label(part), 0, v, v});
    }
    for (const KernelPart& part : gemms_.baseline_converted) {
      const double v = of(part, true);
      details.push_back({part_label(part), v, 0, -v / ratio_});
    }
    return details;
  }

  void add_classes() {
    static const std::vector<KernelPart> kNone;
    const auto of = [](const RunParts& run,
                       const std::string& name) -> const std::vector<KernelPart>& {
      const auto found = run.classes.find(name);
      return found == run.classes.end() ? kNone : found->second;
    };
    for (const Conversion& conversion : kConversions) {
      const std::string name(conversion.operation_class);
      add(make_line(name, name + " kernels", std::string(conversion.meaning),
                    differences(of(a_, name), of(b_, name))));
    }
    std::map<std::string, bool> others;
    for (const RunParts* run : {&a_, &b_}) {
      for (const auto& [name, parts] : run->classes) others[name] = !is_conversion(name);
    }
    const double small_s = kSmallLine * std::fabs(ledger_.measured_s - ledger_.ideal_s);
    std::vector<LedgerDetail> small;
    for (const auto& [name, is_other] : others) {
      if (!is_other) continue;
      LedgerLine line = make_line(name, name + " kernels, changed",
                                  "Fusions lost or won, other kernels, other clocks",
                                  differences(of(a_, name), of(b_, name)));
      if (std::fabs(line.time_s) < small_s) {
        small.push_back({name, total_s(of(a_, name)), total_s(of(b_, name)), line.time_s});
      } else {
        add(std::move(line));
      }
    }
    add(make_line("other_kernels", "other kernels, changed", "Classes that changed little",
                  std::move(small)));
  }

  void add_idle() {
    for (const IdleCauseInfo& cause : idle_cause_infos()) {
      const std::size_t i = static_cast<std::size_t>(cause.id);
      const std::string label = "idle: " + std::string(cause.label);
      add(make_line("idle_" + std::string(cause.key), label, std::string(cause.description),
                    {{label, a_.idle_s[i], b_.idle_s[i], b_.idle_s[i] - a_.idle_s[i]}}));
    }
  }

  void add_notes() {
    std::vector<std::string>& notes = ledger_.notes;
    notes.push_back("Baseline: " + std::to_string(a_.steps) + " typical steps (" + a_.how +
                    "); candidate: " + std::to_string(b_.steps) + " (" + b_.how + ").");
    if (!gemms_.note.empty()) notes.push_back(gemms_.note);
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
          "Clocks were not sampled within the steps of both runs, or too rarely: what "
          "they cost is part of GEMM efficiency.");
    } else if (std::fabs(*b_.sm_clock_hz / *a_.sm_clock_hz - 1) > kSameClock) {
      notes.push_back("SM clock: " + format_si(*a_.sm_clock_hz, "Hz") + " in the baseline, " +
                      format_si(*b_.sm_clock_hz, "Hz") + " in the candidate.");
    }
  }

  RunParts a_;
  RunParts b_;
  ConvertedGemms gemms_;
  double ratio_ = 1;
  double clock_a_ = 1;  // in the typical steps, over the ceilings'; 1: not known
  double clock_b_ = 1;
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

}  // namespace mansard
