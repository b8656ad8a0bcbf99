// SPDX-License-Identifier: Apache-2.0
// The analysis of a profile on a machine: the typed result that reports and the GUI draw.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/attribution/collective_messages.h"
#include "analyzer/classify/operation_class.h"
#include "analyzer/speed_of_light.h"
#include "analyzer/steps/disturbed_time.h"
#include "analyzer/table.h"
#include "collector/store/profile.h"
#include "empirical_roofline/machine_model.h"

namespace mansard::analysis {

// Source of a row's FLOPs and bytes; reports show it next to all values that depend on them.
enum class WorkOrigin {
  none,
  annotated,
  counted,                // measured by hardware counters for some launches of the kernel
  counted_rate,           // likewise, as a rate, because those launches did different work
  divided,                // a part of the counts of a CUDA graph
  annotated_and_counted,  // the annotation, completed by counters
  modeled,                // from the shapes of the calls that launched it
  modeled_and_counted,    // counters, completed by the model
  recorded,               // bytes in the records of memcpys, memsets and collectives
};
std::string_view to_string(WorkOrigin origin);

// The kind of operation that a row groups.
enum class RowKind {
  kernel,      // of Profile::kernels
  memcpy,      // of Profile::memcpys
  memset,      // of Profile::memsets
  host_range,  // annotated ranges executed on the host: of Profile::nvtx
};

// One kernel signature, one kind of memcpy or memset, or one annotated range executed on the host.
// A signature has several rows if its launches do different work (class, precision, amounts of
// FLOPs and bytes), so that every value of a row applies to all of its launches.
struct KernelRow {
  RowKind kind = RowKind::kernel;
  kernels::Target target = kernels::Target::cuda;
  std::string name;        // full demangled name
  std::string short_name;  // without namespaces, arguments and template parameters
  OperationClass operation_class;
  std::optional<Precision> precision;
  std::string library;  // from the kernel name; empty: unknown
  std::string pass;     // "forward" or "backward", from the kernel name; empty: unknown
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::string shape;  // problem shape from the annotation; empty: none, or several
  // Undisturbed launches; all values below only include these. 0 if the row only ran while counters
  // were read.
  std::int64_t launches = 0;
  double time_s = 0;  // sum over launches
  double min_s = 0;   // of one launch
  double median_s = 0;
  double max_s = 0;
  double share = 0;  // of the time of all rows
  // Per typical step and device (RunUnit). 0: not part of it, or the run has no steps.
  double step_time_s = 0;  // overlapping time counts once
  double step_share = 0;   // of the step's time
  double step_launches = 0;
  double step_sol_s = 0;  // 0 also if the SOL time is unknown
  // Potential saving per typical step or, if the run has no steps, of all launches
  // (RunUnit::saving_s()). 0 also if the SOL time is unknown.
  double saving_s = 0;
  WorkOrigin origin = WorkOrigin::none;
  WorkTotals work;  // sum over launches
  // Sums over launches whose annotation has FLOPs: what it needs and, if counters counted it too,
  // what was executed (counters/executed_flop.h). 0: unknown.
  double needed_flop = 0;
  double executed_flop = 0;
  double causal_flop = 0;  // of launches with a mask tensor: needed if the mask is causal
  // The launches may have done different work: the work of a single launch is unknown.
  bool work_is_mean = false;
  // For a collective with known messages; `bytes` is the mean over the launches.
  std::optional<CollectiveMessage> message;
  // For a memcpy over a link: id of the ceiling in its direction.
  std::string_view link_ceiling = "";
  SpeedOfLight sol;  // of all launches together
  // T in the row's slowdown T / T_sol: max(time_s, sol.launch_s). After a kernel shorter than its
  // launch the device waits for the next launch.
  double cost_s = 0;
  // T / T_sol: cost_s / sol.time_s; empty if the SOL time is unknown.
  std::optional<double> slowdown;
  std::vector<std::uint32_t> launch_indices;  // into the list of its kind
  // Likewise, for launches while counters were read; excluded from all values of the row.
  std::vector<std::uint32_t> disturbed_indices;
};

// Ceiling of memcpys between GPUs.
inline constexpr std::string_view kPeerCopyCeiling = "nvlink_copy";

// Whether it copies from one GPU to another, which is communication, as a collective is.
constexpr bool is_peer_copy(const KernelRow& row) { return row.link_ceiling == kPeerCopyCeiling; }

constexpr bool is_memory_operation(const KernelRow& row) {
  return row.kind == RowKind::memcpy || row.kind == RowKind::memset;
}

// Roofline point of a row at one memory tier: x = FLOP/B, y = FLOP/s.
struct RooflinePoint {
  std::size_t row = 0;  // into RunAnalysis::rows
  MemoryLevel level = MemoryLevel::hbm;
  double intensity = 0;
  double flop_per_s = 0;
};

class KernelRules;
class StepTimesMemo;
std::shared_ptr<StepTimesMemo> make_step_memo();
class LaunchTableMemo;
std::shared_ptr<LaunchTableMemo> make_launch_memo();

// Options of analyze_run(); all are optional.
struct AnalysisOptions {
  const KernelRules* rules = nullptr;  // nullptr: the built-in ones
  std::string step_range = {};         // name prefix of the NVTX ranges that mark steps
  double tokens_per_step = 0;          // 0: unknown
};

struct RunAnalysis {
  store::Profile profile;
  std::string title;                             // file name without folder and extension
  std::optional<roofline::DeviceModel> machine;  // of the device that did the work
  roofline::Provenance machine_provenance;
  std::vector<KernelRow> rows;  // sorted by time_s, longest first
  std::vector<RooflinePoint> points;
  AnalysisOptions options;
  std::vector<Steps> steps;      // by device; times of their parts: steps/step_times.h
  std::string steps_obstacle;    // error if no range matches options.step_range
  std::string machine_obstacle;  // without `machine`: why, and how to get a machine model
  std::shared_ptr<StepTimesMemo> step_memo = make_step_memo();
  std::shared_ptr<LaunchTableMemo> launch_memo = make_launch_memo();  // launches_of()
  // Time in which reading counters slowed the program down; excluded from rows, busy_s and span_s.
  DisturbedTime disturbed;
  // No undisturbed time exists: rows include all recorded launches; busy_s and span_s are 0.
  bool all_disturbed = false;
  double busy_s = 0;               // union of device activities (host run: annotated ranges)
  double span_s = 0;               // from the first activity to the end of the last
  std::vector<std::string> notes;  // caveats: interrupted recording, published ceilings, ...
};

// Whether the rows have times per typical step.
// The name of the device that did the work: of the machine model, or as recorded; empty: unknown.
std::string device_name(const RunAnalysis& run);

bool has_step_times(const RunAnalysis& run);

// Sets the rows' values per typical step and their potential savings, from launches and SOL times.
void set_unit_values(RunAnalysis& run);

// Looks up the profile's device in `machines`. Without a match, uses the device's published figures
// and adds a note. Throws only on programming errors.
RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options = {});

struct Ledger;

// The result of an analysis, printed by `mansard analyze`. Each analysis has a file in
// analyzer/analyses.
struct Finding {
  std::string id;
  std::string title;
  std::string summary;  // one or two sentences
  std::vector<Table> tables;
  // Ledger shown in the tables, for the page and the window; null: none.
  std::shared_ptr<const Ledger> ledger = {};
};

struct AnalysisSpec {
  std::string name;
  std::string summary;
  int order = 100;  // position in lists and reports, ascending
  std::function<Finding(const RunAnalysis&)> run;
};

class AnalysisRegistry {
 public:
  void add(AnalysisSpec spec);
  const std::vector<AnalysisSpec>& all() const { return specs_; }
  const AnalysisSpec* find(std::string_view name) const;

 private:
  std::vector<AnalysisSpec> specs_;
};

const AnalysisRegistry& analysis_registry();

}  // namespace mansard::analysis
