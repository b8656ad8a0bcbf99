// SPDX-License-Identifier: Apache-2.0
// Work (FLOPs and bytes) of single launches. A row of the analysis has the sum over its launches.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/attribution/collective_messages.h"
#include "analyzer/attribution/work_shares.h"
#include "analyzer/classify/kernel_rules.h"
#include "analyzer/counters/counted_work.h"
#include "analyzer/counters/graph_counts.h"
#include "analyzer/launch_table.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// All annotated, counted and recorded work of a profile's launches.
struct WorkSources {
  // `rules` and `profile` must live as long as this.
  WorkSources(const store::Profile& profile, const LaunchTable& launches, const KernelRules& rules,
              const std::vector<Steps>& steps);

  // Annotation with the work of Profile::kernels[kernel]; nullptr: none.
  const kernels::WorkAnnotation* annotation(std::size_t kernel) const;
  // Counts of its signature or, for a node of a CUDA graph, its part of the graph's counts.
  const CountedWork* counted_of(std::size_t kernel) const;

  const store::Profile& profile;
  Attribution attribution;
  KernelNames names;
  std::vector<KernelShare> shares;
  WorkKinds kinds;
  CountedWorks counted;
  GraphCounts graph_counts;
  CollectiveMessages messages;
};

// Whether a modeled annotation has an amount that was not counted. Stated work has precedence over
// counters, and counters over modeled work, separately for FLOPs and each memory tier.
bool adds_to(const CountedWork& counted, const kernels::WorkAnnotation& modeled);

// Adds the share of the annotated work, except amounts for which `counted` has precedence; FLOPs
// of unknown precision count as kAssumedPrecision.
void add_annotated(WorkTotals& totals, const kernels::WorkAnnotation& work,
                   std::optional<Precision> precision, const KernelShare& share,
                   const CountedWork* counted = nullptr);

// Sources of the work of one launch; each pointer may be null.
struct LaunchSources {
  const kernels::WorkAnnotation* annotation = nullptr;
  KernelShare share;  // of the annotation's work
  const CountedWork* counted = nullptr;
  const CollectiveMessage* message = nullptr;
};

// Adds the work of one launch to `totals`. `row` gives its class and precision.
void add_launch(WorkTotals& totals, const KernelRow& row, const LaunchSources& sources,
                const store::KernelRecord& kernel);

// Whether the work is based on a mean rate over launches with different work: then the work of a
// single launch is unknown.
bool uses_rates(const kernels::WorkAnnotation* annotation, const CountedWork* counted);

class LaunchWork {
 public:
  // `rules`: those the run was analyzed with. Both must live as long as this.
  LaunchWork(const RunAnalysis& run, const KernelRules& rules);

  // `kernel` is an index into Profile::kernels. row() returns null if it has none; work() is empty
  // if only a mean over launches with different work is available.
  const KernelRow* row(std::size_t kernel) const;
  WorkTotals work(std::size_t kernel) const;

  // SOL time of `work`, a part of the kernel's work, on the run's machine; time_s 0: unknown.
  SpeedOfLight sol(std::size_t kernel, const WorkTotals& work) const;

 private:
  const RunAnalysis& run_;
  const LaunchTable& launches_;
  WorkSources sources_;
};

}  // namespace mansard::analysis
