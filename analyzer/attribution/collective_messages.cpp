// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/collective_messages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyzer/launch_table.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

using nlohmann::json;

// Names of the members of NCCL's payloads.
constexpr const char* kCommunicator = "NCCL communicator ID";
constexpr const char* kRanks = "No. of ranks";
constexpr const char* kBytes = "Message size [bytes]";

struct NamedOperation {
  std::string_view word;  // in lower case, without underscores
  CollectiveOperation operation;
};
// "reduce" must come after the names that contain it.
constexpr std::array kOperations = {
    NamedOperation{"allreduce", CollectiveOperation::all_reduce},
    NamedOperation{"allgather", CollectiveOperation::all_gather},
    NamedOperation{"reducescatter", CollectiveOperation::reduce_scatter},
    NamedOperation{"alltoall", CollectiveOperation::all_to_all},
    NamedOperation{"broadcast", CollectiveOperation::broadcast},
    NamedOperation{"sendrecv", CollectiveOperation::send_receive},
    NamedOperation{"ncclsend", CollectiveOperation::send_receive},
    NamedOperation{"ncclrecv", CollectiveOperation::send_receive},
    NamedOperation{"reduce", CollectiveOperation::reduce},
};

std::string letters(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Parses ranks such as "[0, 1, 2, 3]". Empty: not a complete list.
std::vector<std::int64_t> parse_ranks(std::string_view text) {
  std::vector<std::int64_t> ranks;
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_array()) return ranks;
  for (const json& rank : parsed) {
    if (!rank.is_number_integer()) return {};
    ranks.push_back(rank.get<std::int64_t>());
  }
  return ranks;
}

// Members of a payload; missing members are 0.
struct Payload {
  std::uint64_t communicator = 0;
  double bytes = 0;
  std::int32_t ranks = 0;
};

Payload parse_payload(const std::string& text) {
  Payload payload;
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return payload;
  const auto number = [&](const char* name) {
    const auto found = parsed.find(name);
    return found != parsed.end() && found->is_number() ? &*found : nullptr;
  };
  if (const json* id = number(kCommunicator)) payload.communicator = id->get<std::uint64_t>();
  if (const json* bytes = number(kBytes)) payload.bytes = bytes->get<double>();
  if (const json* ranks = number(kRanks)) payload.ranks = ranks->get<std::int32_t>();
  return payload;
}

// An NCCL call with known message size.
struct Call {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  CollectiveOperation operation = CollectiveOperation::all_reduce;
  double bytes = 0;
  std::uint64_t communicator = 0;
};

class Calls {
 public:
  explicit Calls(const store::Profile& profile) {
    std::unordered_map<store::StringId, Payload> payloads;
    profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& range) {
      const store::NvtxJson* text = std::get_if<store::NvtxJson>(&range.payload);
      if (text == nullptr) return;
      const auto [known, is_new] = payloads.try_emplace(text->id);
      if (is_new) known->second = parse_payload(profile.string(text->id));
      const Payload& payload = known->second;
      if (payload.communicator != 0 && payload.ranks > 0) {
        ranks_[payload.communicator] = payload.ranks;
      }
      const auto operation = parse_collective(profile.text(range));
      if (!operation || !(payload.bytes > 0) || range.end_ns < 0) return;
      by_thread_[range.global_tid].push_back(
          {range.start_ns, range.end_ns, *operation, payload.bytes, payload.communicator});
    });
    for (auto& [thread, calls] : by_thread_) {
      std::sort(calls.begin(), calls.end(),
                [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
    }
  }

  bool empty() const { return by_thread_.empty(); }

  // The thread's call that contains `at_ns`; NCCL calls do not nest.
  const Call* around(std::int64_t global_tid, std::int64_t at_ns) const {
    const auto thread = by_thread_.find(global_tid);
    if (thread == by_thread_.end()) return nullptr;
    const auto after =
        std::upper_bound(thread->second.begin(), thread->second.end(), at_ns,
                         [](std::int64_t ns, const Call& call) { return ns < call.start_ns; });
    if (after == thread->second.begin()) return nullptr;
    const Call& call = *std::prev(after);
    return at_ns < call.end_ns ? &call : nullptr;
  }

  std::int32_t ranks_of(const Call& call) const {
    const auto found = ranks_.find(call.communicator);
    return found == ranks_.end() ? 0 : found->second;
  }

  std::int32_t largest_group() const {
    std::int32_t largest = 0;
    for (const auto& [communicator, ranks] : ranks_) largest = std::max(largest, ranks);
    return largest;
  }

 private:
  std::unordered_map<std::int64_t, std::vector<Call>> by_thread_;
  std::unordered_map<std::uint64_t, std::int32_t> ranks_;  // by communicator
};

// Names of NCCL kernels contain the operation; those of other libraries may not.
bool contradicts(std::string_view kernel_name, CollectiveOperation operation) {
  const auto by_name = parse_collective(kernel_name);
  // All-to-all, gather and scatter are implemented by sends and receives.
  return by_name && *by_name != operation && *by_name != CollectiveOperation::send_receive;
}

bool is_in_switch(std::string_view kernel_name) {
  return kernel_name.find("NVLS") != std::string_view::npos ||
         kernel_name.find("multimem") != std::string_view::npos;
}

}  // namespace

std::optional<CollectiveOperation> parse_collective(std::string_view name) {
  const std::string plain = letters(name);
  for (const NamedOperation& named : kOperations) {
    if (plain.find(named.word) != std::string::npos) return named.operation;
  }
  if (plain == "send" || plain == "recv") return CollectiveOperation::send_receive;
  return std::nullopt;
}

std::optional<double> CollectiveMessage::link_bytes() const {
  const std::optional<double> bus = bus_bytes();
  if (!one_host || !bus) return std::nullopt;
  return in_switch && operation == CollectiveOperation::all_reduce ? *bus / 2 : *bus;
}

std::string CollectiveMessage::text() const {
  std::string out = std::string(to_string(operation)) + " of " + format_si(bytes, "B");
  if (ranks > 0) out += ", " + std::to_string(ranks) + " ranks";
  return out;
}

std::uint64_t CollectiveMessage::group() const {
  const auto size = static_cast<std::uint64_t>(std::max(1.0, bytes));
  std::uint64_t group = static_cast<std::uint64_t>(std::bit_width(size - 1));
  group = group << 3 | static_cast<std::uint64_t>(operation);
  group = group << 2 | std::uint64_t{in_switch} << 1 | std::uint64_t{one_host};
  return group << 32 | static_cast<std::uint32_t>(ranks);
}

CollectiveMessages::CollectiveMessages(const store::Profile& profile, const LaunchTable& launches,
                                       const KernelNames& names) {
  const std::int64_t gpus = profile.session.host == store::kSeveralHosts
                                ? 0
                                : static_cast<std::int64_t>(profile.gpus.size());
  // Records of PyTorch's profiler start at the same time as their kernels.
  std::map<std::pair<std::int32_t, std::int64_t>, const store::CollectiveRecord*> records;
  std::int32_t largest_group = 0;
  for (const store::CollectiveRecord& record : profile.collectives) {
    records.emplace(std::pair(record.device_id, record.start_ns), &record);
    largest_group = std::max(largest_group, record.group_size);
  }
  const Calls calls(profile);
  largest_group = std::max(largest_group, calls.largest_group());
  if (records.empty() && calls.empty()) return;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const KernelName& name = names[names.of_kernel(i)];
    if (name.by_rules.operation_class != kCollectiveClass) continue;
    const store::KernelRecord& kernel = profile.kernels[i];
    CollectiveMessage message;
    message.in_switch = is_in_switch(name.full);
    const auto record = records.find({kernel.device_id, kernel.start_ns});
    if (record != records.end()) {
      const store::CollectiveRecord& r = *record->second;
      const auto operation = parse_collective(r.name);
      const double elements = static_cast<double>(std::max(r.in_elements, r.out_elements));
      if (!operation || !(elements > 0) || r.element_bytes <= 0) continue;
      message.operation = *operation;
      message.bytes = elements * static_cast<double>(r.element_bytes);
      message.ranks = r.group_size;
      const std::vector<std::int64_t> ranks = parse_ranks(r.group_ranks);
      const auto host = [gpus](std::int64_t rank) { return rank / gpus; };
      if (!ranks.empty() && gpus > 0) {
        message.one_host = std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
          return host(rank) == host(ranks.front());
        });
      } else {
        message.one_host = largest_group > 0 && largest_group <= gpus;
      }
    } else {
      // One call launches all kernels of a graph, so the call does not identify the message.
      if (kernel.graph_node_id != 0) continue;
      const std::optional<std::size_t> index = launches.call(i);
      if (!index) continue;
      const store::ApiRecord launch = profile.api_calls[*index];
      const Call* call = calls.around(launch.global_tid, launch.start_ns);
      if (call == nullptr || contradicts(name.full, call->operation)) continue;
      message.operation = call->operation;
      message.bytes = call->bytes;
      message.ranks = calls.ranks_of(*call);
      if (has_part_for_each(call->operation)) {
        if (message.ranks <= 0) continue;  // the call's size is that of one rank's part
        message.bytes *= message.ranks;
      }
      message.one_host = message.ranks > 0 && largest_group <= gpus;
    }
    by_kernel_.emplace(static_cast<std::uint32_t>(i), message);
  }
}

}  // namespace mansard::analysis
