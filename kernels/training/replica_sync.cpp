// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/replica_sync.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace mansard::kernels {
namespace {

constexpr std::array<std::pair<SyncAlgorithm, std::string_view>, 3> kAlgorithmNames = {
    {{SyncAlgorithm::easgd, "easgd"},
     {SyncAlgorithm::average, "average"},
     {SyncAlgorithm::bmuf, "bmuf"}}};

class SetAtEnd {
 public:
  explicit SetAtEnd(std::atomic<bool>& flag) : flag_(flag) {}
  ~SetAtEnd() { flag_ = true; }
  SetAtEnd(const SetAtEnd&) = delete;
  SetAtEnd& operator=(const SetAtEnd&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

std::string_view to_string(SyncAlgorithm algorithm) {
  for (const auto& [value, name] : kAlgorithmNames) {
    if (value == algorithm) return name;
  }
  return "";
}

std::optional<SyncAlgorithm> parse_sync_algorithm(std::string_view key) {
  for (const auto& [value, name] : kAlgorithmNames) {
    if (name == key) return value;
  }
  return std::nullopt;
}

ReplicaSync::ReplicaSync(const ReplicaSyncOptions& options, std::unique_ptr<ProcessGroup> group,
                         Reconnect reconnect, Backend& backend, Operations& operations,
                         const std::function<std::unique_ptr<Backend>()>& make_own_backend,
                         const ReplicaWeights& weights)
    : options_(options),
      reconnect_(std::move(reconnect)),
      backend_(&backend),
      operations_(&operations),
      make_own_backend_(make_own_backend),
      weights_(weights),
      group_(std::move(group)) {
  if (options_.every < 1 || !(options_.elasticity > 0) || !(options_.elasticity <= 1)) {
    throw std::invalid_argument(
        "replicas are synchronized every step or more, with an elasticity above 0 and up to 1");
  }
  if (!(options_.block_momentum >= 0) || !(options_.block_momentum < 1) ||
      !(options_.block_rate > 0)) {
    throw std::invalid_argument("block momentum must be from 0 to below 1, its rate above 0");
  }
  copy_ = arena_.reserve(4 * weights_.count);
  target_ = arena_.reserve(4 * weights_.count);
  if (options_.algorithm == SyncAlgorithm::easgd) {
    moved_ = arena_.reserve(4 * std::min(SharedCenter::kPart, weights_.count));
  }
  if (options_.algorithm == SyncAlgorithm::bmuf) {
    global_ = arena_.reserve(4 * weights_.count);
    velocity_ = arena_.reserve(4 * weights_.count);
  }
  arena_.allocate(backend);
  thread_ = std::thread([this] { run_thread(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_ || error_; });
  if (!error_) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(error_);
}

ReplicaSync::~ReplicaSync() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  canceled_ = true;
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// ---- The training thread ----

std::int64_t ReplicaSync::start(std::int64_t steps_done, bool takes_mean) {
  submit({.steps_done = steps_done, .is_start = true, .takes_mean = takes_mean});
  complete(steps_done);
  reports_.clear();
  return joined_steps_;
}

void ReplicaSync::submit(const Request& request) {
  (*operations_)(CopyWeights{weights_.count, weights_.master, copy_.as<float>()});
  backend_->synchronize();
  {
    const std::scoped_lock lock(mutex_);
    request_ = request;
    request_.rounds = rounds_;
    request_.wants_to_stop = wants_to_stop_ || any_stops_;
    current_ = {};
    current_.copied_after = request.steps_done;
    state_ = State::requested;
  }
  changed_.notify_all();
}

void ReplicaSync::apply(std::int64_t steps_done) {
  if (has_step_) {
    (*operations_)(ElasticStep{weights_.count, step_elasticity_, step_scale_, target_.as<float>(),
                               copy_.as<float>(), weights_.master, weights_.rounded});
    current_.applied_after = steps_done;
    reports_.push_back(current_);
  }
  if (has_joined_) rounds_ = joined_rounds_;
  const std::scoped_lock lock(mutex_);
  state_ = State::idle;
}

void ReplicaSync::complete(std::int64_t steps_done) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::requested || error_; });
    if (error_) std::rethrow_exception(error_);
    if (state_ == State::idle) return;
  }
  apply(steps_done);
}

bool ReplicaSync::between_steps(std::int64_t steps_done, bool wants_to_stop) {
  wants_to_stop_ |= wants_to_stop;
  State state = State::idle;
  {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    state = state_;
  }
  if (state == State::done) apply(steps_done);
  const std::int64_t due = steps_done / options_.every;
  const bool is_alone = !has_group_ && !is_reconnected_;
  const bool uses_center = options_.algorithm == SyncAlgorithm::easgd;
  // All replicas take part in the collectives of the others, so a late synchronization is made up
  // for. With the center, or alone, it is left out.
  if (is_alone ? !uses_center : uses_center && state == State::requested) {
    rounds_ = std::max(rounds_, due);
  }
  const bool is_due = due > rounds_ || is_reconnected_;
  if (is_due && state != State::requested) {
    if (due > rounds_) ++rounds_;
    submit({.steps_done = steps_done});
    if (!options_.background) complete(steps_done);
  }
  return any_stops_ || (options_.background && wants_to_stop);
}

void ReplicaSync::finish(std::int64_t steps_done) {
  complete(steps_done);
  reach(Phase::final, steps_done);
  backend_->synchronize();
}

void ReplicaSync::leave(std::int64_t steps_done) {
  reach(Phase::leaving, steps_done);
  if (group_) group_->leave();
}

void ReplicaSync::reach(Phase phase, std::int64_t steps_done) {
  while (true) {
    submit({.steps_done = steps_done, .phase = phase});
    complete(steps_done);
    const bool stops = request_.wants_to_stop;
    if (all_reached_ ? stops || missing_ < 0 : stops && !has_group_) return;
    // If all others wait for the missing rank too, they only repeat this.
    if (missing_ >= 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::optional<int> ReplicaSync::missing_rank() const {
  const int rank = missing_;
  return rank < 0 ? std::nullopt : std::optional(rank);
}

std::vector<SyncReport> ReplicaSync::take_reports() { return std::exchange(reports_, {}); }

// ---- The thread of the synchronization ----

void ReplicaSync::run_thread() {
  try {
    own_backend_ = make_own_backend_();
    own_operations_ = make_operations(*own_backend_, {.cudnn = false});
    std::unique_lock lock(mutex_);
    ready_ = true;
    changed_.notify_all();
    while (true) {
      changed_.wait(lock, [this] { return state_ == State::requested || ends_; });
      if (ends_) break;
      lock.unlock();
      const auto start = std::chrono::steady_clock::now();
      serve();
      current_.time_s =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      lock.lock();
      state_ = State::done;
      changed_.notify_all();
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    changed_.notify_all();
  }
  canceled_ = true;
  if (reconnection_.valid()) reconnection_.wait();
  collectives_.reset();
  pinned_center_.reset();
  own_operations_.reset();
  own_backend_.reset();
}

void ReplicaSync::serve() {
  const bool is_training = request_.phase == Phase::training;
  const bool must_meet = request_.is_start || (!is_training && !request_.wants_to_stop);
  while (true) {
    try {
      has_step_ = has_joined_ = all_reached_ = false;
      if (!group_ && (must_meet || is_reconnected_)) wait_for_group();
      if (group_ && !collectives_) {
        join_group();
        if (is_training) return;
      }
      if (group_) group_->require_all();
      if (group_ || (center_ && is_training)) synchronize();
      return;
    } catch (const LostRank& loss) {
      if (!reconnect_) throw;
      lose(loss.rank());
      if (!must_meet) return;
    }
  }
}

void ReplicaSync::lose(int rank) {
  missing_ = rank;
  connect_again();
}

void ReplicaSync::connect_again() {
  collectives_.reset();
  group_.reset();  // the others notice by this, if not by the lost rank
  has_group_ = false;
  has_step_ = false;
  is_reconnected_ = false;
  // Without a state that counts, this rank must find the others. EASGD needs no group to train.
  const bool others_may_be_absent = is_established_ && options_.algorithm != SyncAlgorithm::easgd;
  reconnection_ = std::async(std::launch::async, [this, others_may_be_absent] {
    const SetAtEnd is_over(is_reconnected_);  // also if ranks refuse each other
    return reconnect_(others_may_be_absent, canceled_);
  });
}

void ReplicaSync::wait_for_group() {
  group_ = reconnection_.get();
  is_reconnected_ = false;
  if (!group_) throw std::runtime_error("the lost rank was not connected again");
}

// Replaces the array by its mean over the ranks that contribute.
void ReplicaSync::all_reduce_mean(float* data, bool contributes, std::int64_t contributors) {
  const float share = contributes ? 1 / static_cast<float>(contributors) : 0;
  (*own_operations_)(ScaleWeights{weights_.count, share, data});
  collectives_->all_reduce(data, weights_.count);
  collectives_->join();
}

// Every rank calls it first in a new group, with a copy of its weights.
void ReplicaSync::join_group() {
  const AnnotatedRange range("join replicas");
  struct Member {
    std::int64_t steps_done = 0, rounds = 0;
    std::int32_t is_established = 0, takes_mean = 0;
  };
  std::vector<Member> members(static_cast<std::size_t>(group_->size()));
  const bool takes_mean = request_.takes_mean && !is_established_;
  members[static_cast<std::size_t>(group_->rank())] = {request_.steps_done, request_.rounds,
                                                       is_established_ ? 1 : 0, takes_mean ? 1 : 0};
  group_->all_gather(members.data(), sizeof(Member));
  collectives_ = make_collectives(*group_, *own_backend_, options_.transport);

  std::int64_t established = 0;
  int source = 0;  // the rank whose state of the algorithm counts
  Member furthest;
  bool any_takes_mean = false;
  for (int r = group_->size() - 1; r >= 0; --r) {
    const Member& member = members[static_cast<std::size_t>(r)];
    any_takes_mean |= member.takes_mean != 0;
    if (member.is_established == 0) continue;
    ++established;
    source = r;
    furthest.steps_done = std::max(furthest.steps_done, member.steps_done);
    furthest.rounds = std::max(furthest.rounds, member.rounds);
  }
  const bool is_new_job = established == 0;
  const bool is_source = group_->rank() == source;
  Operations& run = *own_operations_;
  const std::int64_t count = weights_.count;
  if (options_.algorithm == SyncAlgorithm::easgd) share_center(is_source);
  if (options_.algorithm == SyncAlgorithm::bmuf) {
    if (!is_established_) {  // the memory must have numbers, even if they do not count
      run(CopyWeights{count, copy_.as<float>(), global_.as<float>()});
      run(CopyWeights{count, copy_.as<float>(), velocity_.as<float>()});
    }
    all_reduce_mean(global_.as<float>(), is_source, 1);
    all_reduce_mean(velocity_.as<float>(), is_source && !is_new_job, 1);
  }
  if (any_takes_mean && !is_new_job) {
    run(CopyWeights{count, copy_.as<float>(), target_.as<float>()});
    all_reduce_mean(target_.as<float>(), is_established_, established);
    if (takes_mean) {
      step_elasticity_ = step_scale_ = 1;
      has_step_ = true;
    }
  }
  own_backend_->synchronize();
  group_->require_all();
  has_joined_ = true;
  joined_steps_ = is_new_job || is_established_ ? request_.steps_done : furthest.steps_done;
  joined_rounds_ = is_new_job ? joined_steps_ / options_.every : furthest.rounds;
  is_established_ = true;
  has_group_ = true;
  missing_ = group_->absent_rank().value_or(-1);
}

// The center of a new job is the weights of its source.
void ReplicaSync::share_center(bool is_source) {
  auto center = std::make_unique<SharedCenter>(*group_, weights_.count);
  if (is_source && center_) {
    center->set(center_->values());
  } else if (is_source) {
    std::vector<float> weights(static_cast<std::size_t>(weights_.count));
    own_backend_->read(weights.data(), copy_.as<float>(), 4 * weights_.count);
    center->set(weights.data());
  }
  group_->barrier();  // nobody exchanges with a center that is not set
  pinned_center_.reset();
  center_ = std::move(center);
  pinned_center_ = own_backend_->pin(center_->values(), center_->bytes());
}

void ReplicaSync::synchronize() {
  const AnnotatedRange range("synchronization");
  Operations& run = *own_operations_;
  const std::int64_t count = weights_.count;
  step_elasticity_ = options_.elasticity;
  step_scale_ = 1;
  if (center_ && request_.phase == Phase::training) {
    exchange_with_center();
  } else {
    // The host waits for the other replicas: a kernel that waits for them would hold SMs.
    struct Status {
      Phase phase = Phase::training;
      std::int32_t stops = 0;
      std::int32_t has_newcomer = 0;
    };
    std::vector<Status> all(static_cast<std::size_t>(group_->size()));
    all[static_cast<std::size_t>(group_->rank())] = {request_.phase, request_.wants_to_stop ? 1 : 0,
                                                     group_->has_newcomer() ? 1 : 0};
    group_->all_gather(all.data(), sizeof(Status));
    if (all[0].has_newcomer != 0) {
      group_->leave();  // nobody is lost
      connect_again();
      return;
    }
    const Phase slowest =
        std::min_element(all.begin(), all.end(), [](const Status& a, const Status& b) {
          return a.phase < b.phase;
        })->phase;
    all_reached_ = slowest >= request_.phase;
    if (slowest == Phase::leaving) return;
    const bool all_are_final = slowest >= Phase::final;
    any_stops_ = any_stops_ ||
                 std::any_of(all.begin(), all.end(), [](const Status& s) { return s.stops != 0; });

    run(CopyWeights{count, copy_.as<float>(), target_.as<float>()});
    collectives_->all_reduce(target_.as<float>(), count);
    collectives_->join();
    const float mean = 1 / static_cast<float>(group_->size());
    if (options_.algorithm == SyncAlgorithm::bmuf && !all_are_final) {
      run(BlockUpdate{count, options_.block_momentum, options_.block_rate, mean,
                      target_.as<float>(), global_.as<float>(), velocity_.as<float>()});
    } else {
      step_scale_ = mean;
    }
    if (all_are_final) step_elasticity_ = 1;
  }
  own_backend_->synchronize();
  if (group_) group_->require_all();
  has_step_ = request_.phase != Phase::leaving;
}

// The center before the exchange becomes the target.
void ReplicaSync::exchange_with_center() {
  center_->for_each_part([&](float* values, std::int64_t first, std::int64_t count) {
    float* const center = target_.as<float>() + first;
    own_backend_->write(center, values, 4 * count);
    (*own_operations_)(CenterStep{count, options_.elasticity, center, copy_.as<float>() + first,
                                  moved_.as<float>()});
    own_backend_->read(values, moved_.as<float>(), 4 * count);
  });
}

}  // namespace mansard::kernels
