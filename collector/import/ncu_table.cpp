// SPDX-License-Identifier: Apache-2.0
#include "collector/import/ncu_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "collector/import/ncu_value.h"
#include "support/csv.h"
#include "support/files.h"

namespace mansard::collector {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // as PowerShell writes
constexpr std::string_view kFirstColumns = "\"ID\",\"Process ID\"";

// Labels that --page details uses instead of metric names.
constexpr std::array kLabels = {
    std::pair<std::string_view, std::string_view>{"Duration", "gpu__time_duration.sum"},
    std::pair<std::string_view, std::string_view>{"Static Shared Memory Per Block",
                                                  "launch__shared_mem_per_block_static"},
    std::pair<std::string_view, std::string_view>{"Dynamic Shared Memory Per Block",
                                                  "launch__shared_mem_per_block_dynamic"},
};

bool is_metric(std::string_view name) { return name.find("__") != std::string_view::npos; }

template <class T>
void set_integer(T& to, std::string_view text) {
  std::from_chars(text.data(), text.data() + text.size(), to);
}

void set_capability(NcuLaunch& launch, std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return;
  set_integer(launch.compute_major, text.substr(0, point));
  set_integer(launch.compute_minor, text.substr(point + 1));
}

void set_metric(NcuLaunch& launch, std::string_view metric, std::string_view unit,
                std::string_view text) {
  if (metric == "device__attribute_display_name") launch.gpu_name = text;
  const std::optional<double> number = ncu_number(text);
  if (!number) return;
  const double factor = ncu_unit_factor(unit);
  launch.values[std::string(metric)] = *number * factor;
  if (metric.starts_with("launch__shared_mem_per_block") && factor > 1) {
    launch.shared_rounding_bytes =
        std::max(launch.shared_rounding_bytes, ncu_rounding(text) * factor);
  }
}

// Sets a column that describes the launch itself. Returns false for other columns.
bool set_column(NcuLaunch& launch, std::string_view column, std::string_view text) {
  if (column == "Process ID") {
    set_integer(launch.pid, text);
  } else if (column == "Process Name") {
    launch.process = text;
  } else if (column == "Kernel Name") {
    launch.kernel = text;
  } else if (column == "Context") {
    set_integer(launch.context_id, text);
  } else if (column == "Stream") {
    set_integer(launch.stream_id, text);
  } else if (column == "Device") {
    set_integer(launch.device_id, text);
  } else if (column == "CC") {
    set_capability(launch, text);
  } else if (column == "Grid Size") {
    launch.grid = ncu_dimensions(text).value_or(launch.grid);
  } else if (column == "Block Size") {
    launch.block = ncu_dimensions(text).value_or(launch.block);
  } else {
    return false;
  }
  return true;
}

// If the columns that describe a launch are missing, uses metrics of the raw page.
void complete_description(NcuLaunch& launch) {
  const auto set = [&](auto& to, const std::string& metric) {
    if (to != 0) return;
    to = static_cast<std::int32_t>(launch.whole(metric).value_or(0));
  };
  const std::array axes = {"x", "y", "z"};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    set(launch.grid[i], std::string("launch__grid_dim_") + axes[i]);
    set(launch.block[i], std::string("launch__block_dim_") + axes[i]);
  }
  set(launch.compute_major, "device__attribute_compute_capability_major");
  set(launch.compute_minor, "device__attribute_compute_capability_minor");
  if (const auto sms = launch.whole("device__attribute_multiprocessor_count")) {
    launch.sm_count = static_cast<int>(*sms);
  }
}

class TableReader {
 public:
  void add(const std::string& line) {
    if (line.starts_with(kFirstColumns)) {
      header_ = split_csv_line(line);
      units_.clear();
      metric_column_ = column("Metric Name");
      unit_column_ = column("Metric Unit");
      value_column_ = column("Metric Value");
      return;
    }
    if (header_.empty() || !line.starts_with('"')) {
      ++table_.other_lines;
      return;
    }
    std::vector<std::string> fields = split_csv_line(line);
    if (fields.size() < header_.size()) {
      ++table_.broken_rows;  // the file is truncated, or program output is mixed in
    } else if (metric_column_ >= 0) {
      add_metric(fields);
    } else if (fields[0].empty()) {
      units_ = std::move(fields);
    } else {
      add_launch(fields);
    }
  }
  bool has_header() const { return !header_.empty(); }

  NcuTable finish() {
    for (NcuLaunch& launch : table_.launches) {
      complete_description(launch);
      complete_counts(launch);
    }
    return std::move(table_);
  }

 private:
  int column(std::string_view name) const {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i] == name) return static_cast<int>(i);
    }
    return -1;
  }

  void describe(NcuLaunch& launch, const std::vector<std::string>& fields) const {
    for (std::size_t i = 0; i < header_.size(); ++i) set_column(launch, header_[i], fields[i]);
  }

  void add_launch(const std::vector<std::string>& fields) {
    NcuLaunch launch;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (set_column(launch, header_[i], fields[i]) || !is_metric(header_[i])) continue;
      set_metric(launch, header_[i], i < units_.size() ? units_[i] : "", fields[i]);
    }
    if (launch.kernel.empty()) {
      ++table_.broken_rows;
    } else {
      table_.launches.push_back(std::move(launch));
    }
  }

  // The rows of a launch are adjacent; launch numbers restart in every process.
  void add_metric(const std::vector<std::string>& fields) {
    const std::string id = fields[0] + '/' + fields[1];
    if (id != last_id_) {
      NcuLaunch launch;
      describe(launch, fields);
      if (launch.kernel.empty()) {
        ++table_.broken_rows;
        return;
      }
      last_id_ = id;
      table_.launches.push_back(std::move(launch));
    }
    const auto field = [&](int index) -> std::string_view {
      return index < 0 ? std::string_view() : fields[static_cast<std::size_t>(index)];
    };
    std::string_view metric = field(metric_column_);
    for (const auto& [label, name] : kLabels) {
      if (metric == label) metric = name;
    }
    if (is_metric(metric)) {
      set_metric(table_.launches.back(), metric, field(unit_column_), field(value_column_));
    }
  }

  NcuTable table_;
  std::vector<std::string> header_;
  std::vector<std::string> units_;
  int metric_column_ = -1;
  int unit_column_ = -1;
  int value_column_ = -1;
  std::string last_id_;
};

}  // namespace

std::optional<double> NcuLaunch::value(std::string_view metric) const {
  const auto at = values.find(metric);
  if (at == values.end() || !std::isfinite(at->second)) return std::nullopt;
  return at->second;
}

std::optional<std::int64_t> NcuLaunch::whole(std::string_view metric) const {
  const std::optional<double> number = value(metric);
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return std::llround(*number);
}

std::optional<std::int64_t> NcuLaunch::static_shared_bytes() const {
  return whole("launch__shared_mem_per_block_static");
}

std::optional<std::int64_t> NcuLaunch::dynamic_shared_bytes() const {
  return whole("launch__shared_mem_per_block_dynamic");
}

std::optional<double> NcuLaunch::duration_ns() const {
  constexpr double kDay_ns = 86400e9;  // longer than any kernel
  const std::optional<double> duration = value("gpu__time_duration.sum");
  return duration && *duration >= 0 && *duration < kDay_ns ? duration : std::nullopt;
}

NcuTable read_ncu_table(const std::filesystem::path& file) {
  require_input_file(file, file.string());
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  TableReader reader;
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    reader.add(line);
  }
  if (!reader.has_header()) {
    throw std::runtime_error(
        file.string() + ": has no Nsight Compute table; write one with `ncu --csv --page raw`");
  }
  NcuTable table = reader.finish();
  if (table.launches.empty()) {
    throw std::runtime_error(file.string() + ": the Nsight Compute table has no kernels");
  }
  return table;
}

// Counts that follow from other columns. The roofline section of Nsight Compute, for example,
// collects only rates.
namespace {

// Sets the value unless the table has it; "n/a" counts as missing.
void complete(NcuLaunch& launch, const std::string& metric, double value) {
  if (!launch.value(metric)) launch.values[metric] = value;
}

// Computes "x.sum" from "x.sum.per_second" and "x.sum.per_cycle_elapsed".
void add_from_rates(NcuLaunch& launch) {
  const std::optional<double> duration_ns = launch.duration_ns();
  if (!duration_ns) return;
  const double duration_s = *duration_ns * 1e-9;
  const auto add = [&](std::string_view metric, std::string_view rate, double times) {
    if (!metric.ends_with(rate)) return;
    const std::string sum(metric.substr(0, metric.size() - rate.size()));
    const std::optional<double> value = launch.value(metric);
    if (value) complete(launch, sum, *value * times);
  };
  constexpr std::string_view kPerSecond = ".per_second";
  constexpr std::string_view kPerCycle = ".per_cycle_elapsed";
  const auto before = launch.values;  // a copy, as values are added below
  for (const auto& [metric, value] : before) {
    if (metric.find(".sum.") == std::string::npos) continue;
    add(metric, kPerSecond, duration_s);
    // Cycles of the metric's unit: "smsp__..." counts smsp cycles.
    const std::string unit = metric.substr(0, metric.find("__"));
    const auto clock_hz = launch.value(unit + "__cycles_elapsed.avg.per_second");
    if (clock_hz) add(metric, kPerCycle, *clock_hz * duration_s);
  }
}

void add_sum(NcuLaunch& launch, const std::string& sum, std::string_view a, std::string_view b) {
  const std::optional<double> first = launch.value(a);
  const std::optional<double> second = launch.value(b);
  if (first && second) complete(launch, sum, *first + *second);
}

// Older versions count these per SM, newer ones per SM sub-partition (smsp). The sums are equal.
void rename_thread_instructions(NcuLaunch& launch) {
  constexpr std::string_view kOld = "sm__sass_thread_inst_executed_op_";
  const auto before = launch.values;
  for (const auto& [metric, value] : before) {
    if (metric.starts_with(kOld) && metric.ends_with(".sum") && std::isfinite(value)) {
      complete(launch, "smsp" + metric.substr(2), value);
    }
  }
}

}  // namespace

void complete_counts(NcuLaunch& launch) {
  for (const char* name : {"gpu__time_duration.avg", "gpu__time_duration.max"}) {
    if (const auto duration = launch.value(name)) {
      complete(launch, "gpu__time_duration.sum", *duration);
    }
  }
  add_from_rates(launch);
  rename_thread_instructions(launch);
  add_sum(launch, "dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum");
}

}  // namespace mansard::collector
