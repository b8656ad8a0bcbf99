// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/launch_sampler.h"

#include <algorithm>
#include <utility>

#include "support/hash.h"

namespace mansard::collector {

namespace {

FunctionSignature without_work(FunctionSignature launch) {
  launch.work = 0;
  return launch;
}

}  // namespace

std::size_t FunctionSignature::hash() const {
  HashBuilder builder;
  builder.add(reinterpret_cast<std::uintptr_t>(function));
  for (const std::uint32_t n : grid) builder.add(n);
  for (const std::uint32_t n : block) builder.add(n);
  return builder.add(dynamic_shared_bytes).add(graph_id).add(work).hash();
}

bool waits_for_others(std::string_view kernel_name) {
  constexpr std::array<std::string_view, 8> kParts = {
      "nccl",     "nvshmem",  "cross_device_reduce", "all_reduce", "allreduce",
      "multimem", "symm_mem", "symmetric_memory"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    const auto found =
        std::search(kernel_name.begin(), kernel_name.end(), part.begin(), part.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    return found != kernel_name.end();
  });
}

LaunchSampler::LaunchSampler(const std::vector<MetricGroup>& groups, int per_kernel)
    : per_kernel_(per_kernel) {
  for (const MetricGroup& group : groups) {
    const bool in_ranges = group.reading == GroupReading::ranges;
    groups_.push_back({in_ranges ? group.passes : 1, in_ranges});
  }
}

void LaunchSampler::want(IsWanted is_wanted, std::size_t count) {
  is_wanted_ = std::move(is_wanted);
  wanted_ = count;
  seen_wanted_.clear();
  launches_since_read_ = 0;
  for (auto& [launch, state] : signatures_) {
    state.wanted = this->is_wanted(launch, state.name);
    if (state.wanted) seen_wanted_.insert(without_work(launch));
  }
  count_missing();
}

bool LaunchSampler::is_wanted(const FunctionSignature& launch, std::string_view name) const {
  return !waits_for_others(name) && (!is_wanted_ || is_wanted_(launch, name));
}

void LaunchSampler::count_missing() {
  missing_ = 0;
  for (const auto& [launch, state] : signatures_) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      missing_ += missing(state, launch, g) > 0 ? 1 : 0;
  }
}

LaunchSampler::State& LaunchSampler::state_of(const FunctionSignature& launch,
                                              std::string_view name) {
  const auto [at, is_new] = signatures_.try_emplace(launch);
  State& state = at->second;
  if (!is_new) return state;
  state.name = name;
  state.wanted = is_wanted(launch, name);
  state.reads.resize(groups_.size());
  if (state.wanted) seen_wanted_.insert(without_work(launch));
  for (std::size_t g = 0; g < groups_.size(); ++g)
    missing_ += missing(state, launch, g) > 0 ? 1 : 0;
  return state;
}

int LaunchSampler::missing(const State& state, const FunctionSignature& launch,
                           std::size_t group) const {
  if (!state.wanted || !applies(group, launch)) return 0;
  return std::max(0, per_kernel_ - state.reads[group]);
}

std::optional<std::size_t> LaunchSampler::group_needed(const State& state,
                                                       const FunctionSignature& launch) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (missing(state, launch, g) > 0) return g;
  }
  return std::nullopt;
}

bool LaunchSampler::is_early(const State& state, std::size_t group) const {
  return state.launches == 1 && !is_wanted_ && groups_[group].launches > 1;
}

void LaunchSampler::open(std::size_t group) {
  // A kernel may have several library calls.
  const std::size_t expected = is_wanted_ ? wanted_ + wanted_ / 4 + 4 : kMostSlots / 2;
  const std::size_t capacity = expected * static_cast<std::size_t>(per_kernel_);
  turn_ = {++rounds_, group, 0, std::min(capacity, kMostSlots)};
  is_open_ = true;
  slots_ = reads_in_pass_ = launches_in_pass_ = last_read_in_pass_ = launches_in_first_pass_ = 0;
  members_.clear();
  members_seen_.clear();
}

std::optional<std::size_t> LaunchSampler::slot_for(State& state, const FunctionSignature& launch) {
  if (turn_.pass == 0) {
    const auto has = static_cast<int>(state.slots.size());
    if (is_early(state, turn_.group) || slots_ == turn_.capacity ||
        has >= missing(state, launch, turn_.group))
      return std::nullopt;
    if (state.slots.empty()) {
      members_.push_back(&state);
      members_seen_.insert(without_work(launch));
    }
    state.slots.push_back(slots_++);
    return state.slots.back();
  }
  if (std::exchange(state.pass, turn_.pass) != turn_.pass) state.reads_in_pass = 0;
  if (state.reads_in_pass >= state.slots.size()) return std::nullopt;
  return state.slots[state.reads_in_pass++];
}

std::optional<LaunchSampler::Choice> LaunchSampler::choose(const FunctionSignature& launch,
                                                           std::string_view name) {
  State& state = state_of(launch, name);
  ++launches_since_read_;
  ++state.launches;
  if (!is_open_) {
    const auto group = group_needed(state, launch);
    if (!group || is_early(state, *group)) return std::nullopt;
    open(*group);
  }
  ++launches_in_pass_;
  const auto slot = slot_for(state, launch);
  if (!slot) {
    if (launches_in_pass_ - last_read_in_pass_ >= patience()) end_pass();
    return std::nullopt;
  }
  Choice choice{turn_, *slot, false, false};
  ++reads_in_pass_;
  last_read_in_pass_ = launches_in_pass_;
  launches_since_read_ = 0;
  const bool is_full = turn_.pass > 0 || slots_ == turn_.capacity;
  if (is_full && reads_in_pass_ == slots_) {
    choice.ends_pass = true;
    end_pass();
    choice.ends_round = !is_open_;
  }
  return choice;
}

std::size_t LaunchSampler::patience() const {
  if (turn_.pass > 0) {
    // The first pass has seen the launches repeat, unless it stopped when it was full.
    const bool repeat_unseen = is_wanted_ || first_pass_was_full_;
    return std::max(repeat_unseen ? kPatienceForStep : kLeastPatience, 2 * launches_in_first_pass_);
  }
  if (!is_wanted_) return std::max(kLeastPatience, 2 * last_read_in_pass_);
  // Once all are seen: for other library calls of the same kernels.
  if (members_seen_.size() >= wanted_) return std::max<std::size_t>(4, last_read_in_pass_);
  return kPatienceForStep;
}

void LaunchSampler::end_pass() {
  if (turn_.pass == 0) {
    launches_in_first_pass_ = launches_in_pass_;
    first_pass_was_full_ = slots_ == turn_.capacity;
  }
  if (turn_.pass > 0 && reads_in_pass_ < slots_) drop_unread_members();
  const bool gone = reads_in_pass_ == 0;  // none of them is launched any more
  if (gone || ++turn_.pass == groups_[turn_.group].launches) return end_round();
  reads_in_pass_ = launches_in_pass_ = last_read_in_pass_ = 0;
  for (State* member : members_) member->pass = 0;
}

// They seem not to be launched any more: the following passes do not wait for them.
void LaunchSampler::drop_unread_members() {
  for (State* member : members_) {
    const std::size_t reads = member->pass == turn_.pass ? member->reads_in_pass : 0;
    slots_ -= member->slots.size() - reads;
    member->slots.resize(reads);
    if (reads == 0) member->reads[turn_.group] = per_kernel_;
  }
}

void LaunchSampler::end_round() {
  for (State* member : members_) {
    member->reads[turn_.group] += static_cast<int>(member->slots.size());
    member->slots.clear();
    member->pass = 0;
  }
  is_open_ = false;
  count_missing();
}

std::optional<std::size_t> LaunchSampler::open_round() const {
  return is_open_ ? std::optional(turn_.round) : std::nullopt;
}

bool LaunchSampler::finished() const {
  if (is_open_) return false;
  if (is_wanted_ && missing_ == 0 && seen_wanted_.size() >= wanted_) return true;
  return launches_since_read_ >= kPatience;
}

}  // namespace mansard::collector
