// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/communication.h"

#include <algorithm>
#include <utility>

namespace mansard::analysis {
namespace {

roofline::Ceiling roof_of(MemoryLevel level, double bytes_per_s, std::string id,
                          std::string source) {
  roofline::Ceiling ceiling;
  ceiling.id = std::move(id);
  ceiling.role = kernels::KernelRole::bandwidth_ceiling;
  ceiling.level = level;
  ceiling.unit = "B/s";
  ceiling.value = bytes_per_s;
  ceiling.source = std::move(source);
  return ceiling;
}

}  // namespace

double LinkTraffic::longest_s() const {
  double longest = 0;
  for (const auto& [level, seconds] : time_s) longest = std::max(longest, seconds);
  return longest;
}

LinkTraffic& LinkTraffic::add(const LinkTraffic& other, double times) {
  for (const auto& [level, amount] : other.bytes) bytes[level] += times * amount;
  for (const auto& [level, seconds] : other.time_s) time_s[level] += times * seconds;
  return *this;
}

double Communication::nvlink_s(CollectiveOperation operation, std::int64_t ranks, double bus_bytes,
                               double calls) const {
  const roofline::CollectiveFit* fit = find_fit(machine_.collectives, operation, ranks);
  return fit == nullptr ? bus_bytes / nvlink() : calls * fit->call_s(bus_bytes / calls);
}

LinkTraffic Communication::sent(double bytes, std::int64_t ranks) const {
  LinkTraffic traffic;
  if (!(bytes > 0)) return traffic;
  const MemoryLevel level = within_domain(ranks) ? MemoryLevel::nvlink : MemoryLevel::network;
  traffic.bytes[level] = bytes;
  traffic.time_s[level] = bytes / (level == MemoryLevel::nvlink ? nvlink() : network());
  return traffic;
}

LinkTraffic Communication::tensor(CollectiveOperation operation, double bytes) const {
  const double bus = bus_bytes(operation, bytes, job_.tensor).value();
  LinkTraffic traffic = sent(bus, job_.tensor);
  const auto nvlink = traffic.time_s.find(MemoryLevel::nvlink);
  if (nvlink != traffic.time_s.end()) nvlink->second = nvlink_s(operation, job_.tensor, bus, 1);
  return traffic;
}

LinkTraffic Communication::context(double bytes) const {
  return sent(bytes * static_cast<double>(job_.context - 1), job_.tensor * job_.context);
}

LinkTraffic Communication::pipeline(double bytes) const {
  if (job_.pipeline == 1) return {};
  // Neighboring stages are tensor x context x data ranks apart.
  return sent(bytes, 2 * job_.tensor * job_.context * job_.data());
}

std::int64_t Communication::local_data_ranks() const {
  const std::int64_t ranks = job_.data() * job_.context;
  return std::clamp<std::int64_t>(machine_.nvlink_domain / job_.tensor, 1, ranks);
}

LinkTraffic Communication::data(CollectiveOperation operation, double bytes, double calls) const {
  const std::int64_t ranks = job_.data() * job_.context;
  LinkTraffic traffic;
  if (ranks == 1) return traffic;
  const std::int64_t local = local_data_ranks();
  const double bus = bus_bytes(operation, bytes, ranks).value();
  if (local > 1) {
    traffic.bytes[MemoryLevel::nvlink] = bus;
    traffic.time_s[MemoryLevel::nvlink] = nvlink_s(operation, local, bus, calls);
  }
  if (ranks > local) {
    // In the ring, ranks - local of ranks - 1 parts come from other domains, divided among the
    // adapters of the local ranks.
    const double network_bytes =
        bus * static_cast<double>(ranks - local) / static_cast<double>((ranks - 1) * local);
    traffic.bytes[MemoryLevel::network] = network_bytes;
    traffic.time_s[MemoryLevel::network] = network_bytes / network();
  }
  return traffic;
}

std::vector<const roofline::CollectiveFit*> Communication::fits() const {
  std::vector<const roofline::CollectiveFit*> used;
  const auto use = [&](CollectiveOperation operation, std::int64_t ranks) {
    if (ranks == 1 || !within_domain(ranks)) return;
    const roofline::CollectiveFit* fit = find_fit(machine_.collectives, operation, ranks);
    if (fit != nullptr) used.push_back(fit);
  };
  const bool reduces_all = !job_.fully_sharded && !job_.distributed_optimizer;
  for (const auto& [ranks, all_reduce] :
       {std::pair(job_.tensor, false), std::pair(local_data_ranks(), reduces_all)}) {
    if (all_reduce) {
      use(CollectiveOperation::all_reduce, ranks);
      continue;
    }
    use(CollectiveOperation::all_gather, ranks);
    use(CollectiveOperation::reduce_scatter, ranks);
  }
  return used;
}

std::set<std::string> Communication::measured() const {
  std::set<std::string> names;
  for (const roofline::CollectiveFit* fit : fits()) names.insert(fit->kernel);
  return names;
}

std::vector<roofline::Ceiling> Communication::roofs() const {
  const std::vector<const roofline::CollectiveFit*> used = fits();
  const auto best = std::ranges::max_element(
      used, {}, [](const roofline::CollectiveFit* fit) { return fit->bytes_per_s; });
  std::vector<roofline::Ceiling> roofs;
  roofs.push_back(best != used.end() ? roof_of(MemoryLevel::nvlink, (*best)->bytes_per_s,
                                               (*best)->kernel, "measured")
                                     : roof_of(MemoryLevel::nvlink, machine_.nvlink_bytes_per_s,
                                               "datasheet_nvlink", "datasheet"));
  roofs.push_back(
      roof_of(MemoryLevel::network, machine_.nic_bytes_per_s, "datasheet_network", "datasheet"));
  return roofs;
}

}  // namespace mansard::analysis
