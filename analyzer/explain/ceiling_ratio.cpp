// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/ceiling_ratio.h"

#include <algorithm>
#include <stdexcept>

#include "support/units.h"

namespace mansard::analysis {

namespace {

std::string label_of(Precision precision) { return std::string(info(precision).label); }

// Returns the GPU name; with several GPU models in a profile, the one of the machine model.
std::string gpu_names(const RunAnalysis& run) {
  const std::vector<store::GpuRecord>& gpus = run.profile.gpus;
  const bool one_kind =
      !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [&](const store::GpuRecord& gpu) {
        return gpu.name == gpus.front().name;
      });
  if (one_kind && !gpus.front().name.empty()) return gpus.front().name;
  return run.machine ? run.machine->device.name : std::string();
}

bool same_model(const RunAnalysis& a, const RunAnalysis& b) {
  if (!a.machine || !b.machine) return true;  // cannot be distinguished
  const roofline::Provenance& of_a = a.machine_provenance;
  const roofline::Provenance& of_b = b.machine_provenance;
  return a.machine->device.name == b.machine->device.name &&
         a.machine->device.uuid == b.machine->device.uuid && of_a.origin == of_b.origin &&
         of_a.host == of_b.host && of_a.date_utc == of_b.date_utc;
}

std::string missing_ceiling(const RunAnalysis& run, Precision precision) {
  return "the machine model of " + run.profile.file.string() + " has no ceiling for " +
         label_of(precision);
}

const roofline::Ceiling& required_ceiling(const RunAnalysis& run, Precision precision) {
  const roofline::Ceiling* ceiling = gemm_ceiling(run, precision);
  if (ceiling == nullptr) {
    throw std::invalid_argument(missing_ceiling(run, precision) +
                                "; pass a model that has one with --machine, or the ratio with "
                                "--ceiling-ratio");
  }
  return *ceiling;
}

std::string ceiling_text(const RunAnalysis& run, Precision precision,
                         const roofline::Ceiling& ceiling, bool with_gpu) {
  return label_of(precision) + (with_gpu ? " on " + gpu_names(run) + " " : " ") +
         format_si(ceiling.value, ceiling.unit);
}

}  // namespace

const roofline::Ceiling* gemm_ceiling(const RunAnalysis& run, Precision precision) {
  if (!run.machine) return nullptr;
  const roofline::Ceiling* ceiling = run.machine->compute(precision);
  // Both FP8 formats have the same tensor-core rate; a machine model may have only one of them.
  if (ceiling == nullptr && precision == Precision::fp8_e5m2) {
    ceiling = run.machine->compute(Precision::fp8_e4m3);
  }
  return ceiling != nullptr && ceiling->value > 0 ? ceiling : nullptr;
}

CeilingRatio ceiling_ratio(const RunAnalysis& baseline, const RunAnalysis& candidate,
                           const ConvertedGemms& gemms, std::optional<double> given) {
  CeilingRatio ratio;
  const std::string name_a = gpu_names(baseline);
  const std::string name_b = gpu_names(candidate);
  const bool same_name = name_a == name_b;
  ratio.different_gpus = !same_name || !same_model(baseline, candidate);
  const auto set = [&](const roofline::Ceiling& from, Precision precision_a,
                       const roofline::Ceiling& to, Precision precision_b) {
    ratio.value = to.value / from.value;
    ratio.source = ceiling_text(candidate, precision_b, to, ratio.different_gpus) + " over " +
                   ceiling_text(baseline, precision_a, from, ratio.different_gpus);
  };
  std::string note;
  if (ratio.different_gpus) {
    note = same_name ? "The two runs use different machine models of " + name_a + "."
                     : "The runs are on different GPUs: baseline on " +
                           (name_a.empty() ? "an unknown GPU" : name_a) + ", candidate on " +
                           (name_b.empty() ? "an unknown GPU" : name_b) + ".";
  }
  if (given) {
    ratio.value = *given;
    ratio.source = "ratio set with --ceiling-ratio";
    ratio.all_gemms = ratio.different_gpus && !gemms.candidate;
  } else if (gemms.candidate) {
    set(required_ceiling(baseline, *gemms.baseline), *gemms.baseline,
        required_ceiling(candidate, *gemms.candidate), *gemms.candidate);
    if (ratio.different_gpus) {
      note +=
          " The ratio of ceilings includes the difference between the machines as well as "
          "between the precisions.";
    }
  } else if (!ratio.different_gpus) {
    ratio.source = "no candidate GEMM runs in a lower precision";
  } else {
    const roofline::Ceiling* from =
        gemms.baseline ? gemm_ceiling(baseline, *gemms.baseline) : nullptr;
    const roofline::Ceiling* to =
        gemms.baseline ? gemm_ceiling(candidate, *gemms.baseline) : nullptr;
    if (from != nullptr && to != nullptr) {
      set(*from, *gemms.baseline, *to, *gemms.baseline);
      ratio.all_gemms = true;
      note += " No GEMM runs in a lower precision, so the ratio is that of the two machines' " +
              label_of(*gemms.baseline) + " ceilings.";
    } else {
      const std::string why =
          gemms.baseline ? missing_ceiling(from == nullptr ? baseline : candidate, *gemms.baseline)
                         : "the precision of the baseline's GEMMs is unknown";
      ratio.source = "ratio of the machines' ceilings not available";
      note += " The ratio of their ceilings is not available (" + why +
              "), so the ledger uses 1.00x. Set it with --ceiling-ratio.";
    }
  }
  if (!note.empty()) ratio.notes.push_back(std::move(note));
  return ratio;
}

}  // namespace mansard::analysis
