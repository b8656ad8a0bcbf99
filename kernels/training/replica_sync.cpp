// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/replica_sync.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace mansard::kernels {
namespace {

constexpr std::array<std::pair<SyncAlgorithm, std::string_view>, 3> kNames = {
    {{SyncAlgorithm::easgd, "easgd"},
     {SyncAlgorithm::average, "average"},
     {SyncAlgorithm::bmuf, "bmuf"}}};

// Elements of the weights that travel to the center and back at once.
constexpr std::int64_t kPiece = 1 << 22;

}  // namespace

std::string_view to_string(SyncAlgorithm algorithm) {
  for (const auto& [value, name] : kNames) {
    if (value == algorithm) return name;
  }
  return "";
}

std::optional<SyncAlgorithm> parse_sync_algorithm(std::string_view key) {
  for (const auto& [value, name] : kNames) {
    if (name == key) return value;
  }
  return std::nullopt;
}

ReplicaSync::ReplicaSync(const ReplicaSyncOptions& options, ProcessGroup& group,
                         ProcessGroup& exchange, Backend& backend, Operations& operations,
                         const std::function<std::unique_ptr<Backend>()>& make_own_backend,
                         const ReplicaWeights& weights)
    : options_(options),
      group_(&group),
      exchange_(&exchange),
      backend_(&backend),
      operations_(&operations),
      make_own_backend_(make_own_backend),
      weights_(weights) {
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
  if (options_.algorithm == SyncAlgorithm::bmuf) {
    global_ = arena_.reserve(4 * weights_.count);
    velocity_ = arena_.reserve(4 * weights_.count);
  }
  arena_.allocate(backend);
  if (options_.algorithm == SyncAlgorithm::easgd) {
    center_ = std::make_unique<SharedCenter>(group, weights_.count);
  }
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
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ReplicaSync::start() {
  std::vector<float> weights(static_cast<std::size_t>(weights_.count));
  backend_->read(weights.data(), weights_.master, 4 * weights_.count);
  if (center_ && group_->rank() == 0) center_->set(weights.data());
  if (options_.algorithm == SyncAlgorithm::bmuf) {
    backend_->write(global_.as<float>(), weights.data(), 4 * weights_.count);
    std::fill(weights.begin(), weights.end(), 0.0f);
    backend_->write(velocity_.as<float>(), weights.data(), 4 * weights_.count);
  }
  group_->barrier();  // nobody exchanges with a center that is not set
}

// ---- The training thread ----

void ReplicaSync::copy_weights(std::int64_t steps_done) {
  (*operations_)(CopyWeights{weights_.count, weights_.master, copy_.as<float>()});
  backend_->synchronize();
  current_ = {};
  current_.copied_after = steps_done;
  ++rounds_;
  {
    const std::scoped_lock lock(mutex_);
    state_ = State::requested;
  }
  changed_.notify_all();
}

void ReplicaSync::apply(std::int64_t steps_done) {
  (*operations_)(ApplyStep{weights_.count, target_.as<float>(), weights_.master, weights_.rounded});
  current_.applied_after = steps_done;
  reports_.push_back(current_);
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
  bool busy = false;
  bool done = false;
  {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    busy = state_ == State::requested;
    done = state_ == State::done;
  }
  if (done) apply(steps_done);
  // Collectives need all replicas, so a late synchronization is made up for; with the center it is
  // left out.
  const std::int64_t due = steps_done / options_.every;
  if (center_ && busy) rounds_ = std::max(rounds_, due);
  const bool is_due = due > rounds_;
  if (options_.background) {
    if (is_due && !busy) copy_weights(steps_done);
    return wants_to_stop;
  }
  if (!is_due) return false;
  copy_weights(steps_done);
  complete(steps_done);
  return group_->sum(wants_to_stop ? 1 : 0) > 0;
}

void ReplicaSync::finish(std::int64_t steps_done) {
  if (center_) {
    complete(steps_done);
  } else {
    // A rank may have stopped early, and others may wait for its synchronizations.
    std::vector<std::int64_t> due(static_cast<std::size_t>(group_->size()));
    due[static_cast<std::size_t>(group_->rank())] = std::max(rounds_, steps_done / options_.every);
    group_->all_gather(due.data(), sizeof due.front());
    complete(steps_done);
    while (rounds_ < *std::max_element(due.begin(), due.end())) {
      copy_weights(steps_done);
      complete(steps_done);
    }
  }
  is_last_ = true;
  copy_weights(steps_done);
  complete(steps_done);
  backend_->synchronize();
  is_last_ = false;
}

std::vector<SyncReport> ReplicaSync::take_reports() { return std::exchange(reports_, {}); }

// ---- The thread of the synchronization ----

void ReplicaSync::run_thread() {
  try {
    own_backend_ = make_own_backend_();
    own_operations_ = make_operations(*own_backend_, {.cudnn = false});
    collectives_ = make_collectives(*exchange_, *own_backend_);
    std::unique_lock lock(mutex_);
    ready_ = true;
    changed_.notify_all();
    while (true) {
      changed_.wait(lock, [this] { return state_ == State::requested || ends_; });
      if (ends_) break;
      lock.unlock();
      const auto start = std::chrono::steady_clock::now();
      compute_step();
      own_backend_->synchronize();
      exchange_->require_all();
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
  collectives_.reset();
  own_operations_.reset();
  own_backend_.reset();
}

void ReplicaSync::compute_step() {
  const AnnotatedRange range("synchronization");
  Operations& run = *own_operations_;
  const std::int64_t count = weights_.count;
  const float mean = 1 / static_cast<float>(exchange_->size());
  ElasticStep step{count, is_last_ ? 1 : options_.elasticity, 1, copy_.as<float>(),
                   target_.as<float>()};
  if (center_ && !is_last_) {
    exchange_with_center();
  } else {
    run(CopyWeights{count, copy_.as<float>(), target_.as<float>()});
    // The host waits for the other replicas: a kernel that waits for them would hold SMs.
    exchange_->barrier();
    collectives_->all_reduce(target_.as<float>(), count);
    collectives_->join();
    if (options_.algorithm == SyncAlgorithm::bmuf && !is_last_) {
      run(BlockUpdate{count, options_.block_momentum, options_.block_rate, mean,
                      target_.as<float>(), global_.as<float>(), velocity_.as<float>()});
    } else {
      step.scale = mean;
    }
  }
  run(step);
}

void ReplicaSync::exchange_with_center() {
  std::vector<float> piece(static_cast<std::size_t>(std::min(kPiece, weights_.count)));
  for (std::int64_t at = 0; at < weights_.count; at += kPiece) {
    const std::int64_t count = std::min(kPiece, weights_.count - at);
    own_backend_->read(piece.data(), copy_.as<float>() + at, 4 * count);
    center_->exchange(piece.data(), at, count, options_.elasticity);
    own_backend_->write(target_.as<float>() + at, piece.data(), 4 * count);
  }
}

}  // namespace mansard::kernels
