// SPDX-License-Identifier: Apache-2.0
// A profile explained against a machine: the typed result that reports and the GUI draw.
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

// Where a row's FLOPs and bytes come from; reports show it beside every figure they lead to.
enum class WorkOrigin {
  none,
  annotated,
  counted,                // by the hardware, of some launches of the kernel
  counted_rate,           // the same, as a rate: those launches did different amounts of work
  annotated_and_counted,  // what the annotation does not say is from counters
  recorded,               // bytes of memcpys, memsets and collectives, which their records state
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
// A signature has several rows where its launches do different work (class, precision, amounts of
// FLOPs and bytes), so that every figure of a row holds for all of its launches.
struct KernelRow {
  RowKind kind = RowKind::kernel;
  kernels::Target target = kernels::Target::cuda;
  std::string name;        // demangled, complete
  std::string short_name;  // without namespaces, arguments and template parameters
  OperationClass operation_class;
  std::optional<Precision> precision;
  std::string library;  // by the kernel's name; empty where that tells none
  std::string pass;     // "forward" or "backward", likewise
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::string shape;  // of its work, by annotation; empty: none, or several
  // Launches that nothing disturbed, and all figures below are of these alone; 0 where the row only
  // ran while counters were read.
  std::int64_t launches = 0;
  double time_s = 0;  // sum over launches
  double min_s = 0;   // of one launch
  double median_s = 0;
  double max_s = 0;
  double share = 0;  // of the time of all rows
  WorkOrigin origin = WorkOrigin::none;
  WorkTotals work;  // sum over launches
  // Its launches did different work that nothing tells apart: a single launch's is not known.
  bool work_is_mean = false;
  // Null unless a collective whose messages are known; `bytes` is the mean over the launches.
  std::optional<CollectiveMessage> message;
  // For a memcpy over a link: the id of the ceiling in its direction.
  std::string_view link_ceiling = "";
  SpeedOfLight limit;  // of all launches together
  // What the row costs a program at least: its device time or, where that is less, the time its
  // launches take. A kernel shorter than its launch leaves the device waiting for the next one.
  double cost_s = 0;
  // cost_s over limit.time_s; empty when the limit is not known.
  std::optional<double> slowdown;
  std::vector<std::uint32_t> launch_indices;  // into the list of its kind
  // Likewise: recorded while counters were read, in no figure of the row.
  std::vector<std::uint32_t> disturbed_indices;
};

constexpr bool is_memory_operation(const KernelRow& row) {
  return row.kind == RowKind::memcpy || row.kind == RowKind::memset;
}

// A row as a point of the roofline at one tier. x = FLOP/B, y = FLOP/s.
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

// What a run is to be read by; each is optional.
struct AnalysisOptions {
  const KernelRules* rules = nullptr;  // nullptr: the built-in ones
  std::string step_range = {};        // prefix of the names of the ranges that are steps
  double tokens_per_step = 0;          // 0: not known
};

struct RunAnalysis {
  store::Profile profile;
  std::string title;                             // file name without folder and extension
  std::optional<roofline::DeviceModel> machine;  // of the device that did the work
  roofline::Provenance machine_provenance;
  std::vector<KernelRow> rows;  // by falling time_s
  std::vector<RooflinePoint> points;
  AnalysisOptions options;
  std::vector<Steps> steps;    // by device; times of their parts: steps/step_times.h
  std::string steps_obstacle;  // why they are not those that the options name
  std::shared_ptr<StepTimesMemo> step_memo = make_step_memo();
  std::shared_ptr<LaunchTableMemo> launch_memo = make_launch_memo();  // launches_of()
  // Reading counters disturbed the program then. Rows, `busy_s` and `span_s` are of the other time.
  DisturbedTime disturbed;
  // There is no other time: rows are of all launches that were recorded, busy and span are 0.
  bool all_disturbed = false;
  double busy_s = 0;               // union of device activity (host run: of annotated ranges)
  double span_s = 0;               // from the first activity to the end of the last
  std::vector<std::string> notes;  // what the reader must know: interrupted, datasheet, ...
};

// `machines` are searched by the device recorded in the profile; with no match the device's
// published figures are used and a note says so. Throws only on programming errors.
RunAnalysis analyze_run(store::Profile profile, const std::vector<roofline::MachineModel>& machines,
                        const AnalysisOptions& options = {});

struct Ledger;

// A named analysis: what `mansard analyze` prints. One file each in analyzer/analyses.
struct Finding {
  std::string id;
  std::string title;
  std::string summary;  // one or two sentences in plain words
  std::vector<Table> tables;
  // The ledger that the tables are of, for the page and the window; null: of none.
  std::shared_ptr<const Ledger> ledger = {};
};

struct AnalysisSpec {
  std::string name;
  std::string summary;
  int order = 100;  // in lists and reports: what is read first
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
