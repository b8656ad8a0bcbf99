// SPDX-License-Identifier: Apache-2.0
#include "reports/export/kernel_arguments.h"

namespace mansard::reports {
namespace {

// "hbm_bytes", the column key of the analyses.
std::string_view bytes_key(MemoryLevel level) {
  static const std::map<MemoryLevel, std::string> keys = [] {
    std::map<MemoryLevel, std::string> all;
    for (const MemoryLevelInfo& i : kMemoryLevels) all[i.id] = std::string(i.key) + "_bytes";
    return all;
  }();
  return keys.at(level);
}

}  // namespace

KernelArguments::KernelArguments(const ExportInput& input)
    : profile_(input.run.profile),
      works_(input.run, input.rules != nullptr ? *input.rules : analysis::kernel_rules()) {
  for (const store::CollectiveRecord& c : profile_.collectives) {
    if (c.correlation_id != 0) collectives_.try_emplace({c.device_id, c.correlation_id}, &c);
  }
}

void KernelArguments::add(std::size_t index, std::vector<Argument>& arguments) {
  const store::KernelRecord& kernel = profile_.kernels[index];
  const auto add = [&](std::string_view key, std::int64_t value) {
    arguments.push_back({key, value});
  };
  arguments.push_back({"grid", kernel.grid});
  arguments.push_back({"block", kernel.block});
  if (kernel.cluster[0] > 0) arguments.push_back({"cluster", kernel.cluster});
  add("registers per thread", kernel.registers_per_thread);
  add("shared memory",
      std::int64_t{kernel.static_shared_bytes} + std::int64_t{kernel.dynamic_shared_bytes});
  if (kernel.graph_id != 0) add("graph id", kernel.graph_id);
  if (kernel.graph_node_id != 0) add("graph node id", kernel.graph_node_id);
  add_work(index, arguments);
  add_collective(kernel, arguments);
}

void KernelArguments::add_work(std::size_t index, std::vector<Argument>& arguments) {
  const analysis::KernelRow* row = works_.row(index);
  if (row == nullptr) return;
  arguments.push_back({"class", std::string_view(row->operation_class)});
  if (row->precision) arguments.push_back({"precision", info(*row->precision).label});
  const analysis::WorkTotals work = works_.work(index);
  if (const double flop = work.total_flop(); flop > 0) arguments.push_back({"flop", flop});
  for (const auto& [level, bytes] : work.bytes) {
    if (bytes > 0) arguments.push_back({bytes_key(level), bytes});
  }
  sol_ = works_.sol(index, work);
  if (!(sol_.time_s > 0)) return;
  arguments.push_back({"speed_of_light_us", 1e6 * sol_.time_s});
  arguments.push_back({"bound", std::string_view(sol_.bound_label)});
}

void KernelArguments::add_collective(const store::KernelRecord& kernel,
                                     std::vector<Argument>& arguments) const {
  if (collectives_.empty()) return;
  const auto found = collectives_.find({kernel.device_id, kernel.correlation_id});
  if (found == collectives_.end()) return;
  const store::CollectiveRecord& c = *found->second;
  arguments.push_back({"Collective name", std::string_view(c.name)});
  arguments.push_back({"In msg nelems", c.in_elements});
  arguments.push_back({"Out msg nelems", c.out_elements});
  if (c.group_size > 0) arguments.push_back({"Group size", std::int64_t{c.group_size}});
  const auto add_text = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) arguments.push_back({key, std::string_view(text)});
  };
  add_text("dtype", c.element_type);
  add_text("Process Group Name", c.group_name);
  add_text("Process Group Ranks", c.group_ranks);
}

}  // namespace mansard::reports
