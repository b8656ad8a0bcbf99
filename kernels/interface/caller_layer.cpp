// SPDX-License-Identifier: Apache-2.0
#include "kernels/interface/caller_layer.h"

#include <algorithm>

#include "kernels/annotation/range.h"

namespace mansard::kernels {
namespace {

// A caching allocator returns few addresses in turn. Beyond this number, a plan is made again.
constexpr std::size_t kMaxPlans = 48;

constexpr std::uint64_t pass_number(std::uint64_t pass) { return pass / 2; }

// Buffers of an arena are not const.
void* address_of(const void* tensor) { return const_cast<void*>(tensor); }

}  // namespace

bool CallerLayer::Binding::operator==(const Binding& b) const {
  return pass == b.pass && which == b.which && backend == b.backend && x == b.x && w == b.w &&
         dy == b.dy && result == b.result && memory.activation == b.memory.activation &&
         memory.weight == b.memory.weight && memory.scratch == b.memory.scratch;
}

CallerLayer::CallerLayer(const LinearProblem& problem, Recipe recipe,
                         std::shared_ptr<StreamBackends> backends)
    : backends_(std::move(backends)), recipe_name_(recipe) {
  const std::lock_guard lock(backends_->mutex());
  const StreamBackends::Current current(*backends_);
  Backend& backend = backends_->own();
  for (Buffer* tensor :
       {&tensors_.x, &tensors_.w, &tensors_.y, &tensors_.dy, &tensors_.dx, &tensors_.dw}) {
    *tensor = arena_.reserve(0, Lifetime::caller);
  }
  ReservedLayer reserved = reserve_layer(problem, tensors_, recipe, backend, arena_);
  recipe_ = std::move(reserved.recipe);
  workspace_ = arena_.share(Scratch::gemm_workspace, backend.gemm_workspace_bytes());
  // Pieces with anything that a checkpoint contains are state.
  for (const StateTensor& tensor : recipe_->state()) {
    arena_.set_lifetime(tensor.data, Lifetime::state);
    scales_in_state_ |= !tensor.name.starts_with("dy.");
  }
  const std::int64_t state_bytes = arena_.bytes(Lifetime::state);
  if (state_bytes > 0) {
    state_ = backend.allocate(state_bytes);
    arena_.place(Lifetime::state, state_.get());
  }
  recipe_->start(backend);
}

CallerLayer::~CallerLayer() {
  const std::lock_guard lock(backends_->mutex());
  plans_.clear();
  state_.reset();
}

PassPlan CallerLayer::make_plan(const Binding& b, Backend& backend) {
  const Memory& memory = b.memory;
  const bool fprop = b.pass == Pass::fprop;
  arena_.place(Lifetime::activation, memory.activation);
  arena_.place(Lifetime::weight, memory.weight);
  // The scratch memory of backward passes starts with dy.
  arena_.place(Lifetime::gradient, fprop ? nullptr : memory.scratch);
  arena_.place(Lifetime::pass,
               static_cast<char*>(memory.scratch) + (fprop ? 0 : arena_.bytes(Lifetime::gradient)));
  arena_.place(tensors_.x, address_of(b.x));
  arena_.place(tensors_.w, address_of(b.w));
  arena_.place(tensors_.dy, address_of(b.dy));
  for (const auto& [pass, tensor] :
       {std::pair{Pass::fprop, &tensors_.y}, std::pair{Pass::dgrad, &tensors_.dx},
        std::pair{Pass::wgrad, &tensors_.dw}}) {
    arena_.place(*tensor, pass == b.pass ? b.result : nullptr);
  }
  void* const workspace = memory.scratch == nullptr ? nullptr : workspace_.as<void>();
  // Without dx the GEMM is not run, but it is prepared and needs an address.
  if (b.pass == Pass::dgrad && b.result == nullptr) {
    arena_.place(tensors_.dx, address_of(b.dy));
  }
  return recipe_->plan(b.pass, b.which, PassBuilder(backend, workspace));
}

const PassPlan& CallerLayer::plan(const Binding& binding, Backend& backend) {
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const BoundPlan& bound) { return bound.binding == binding; });
  if (known != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, known);
  } else {
    plans_.push_front({binding, make_plan(binding, backend)});
    if (plans_.size() > kMaxPlans) plans_.pop_back();
  }
  return plans_.front().plan;
}

void CallerLayer::run(const Binding& binding, Backend& backend) {
  const AnnotatedRange range(to_string(binding.pass).data());
  for (const Operation& operation : plan(binding, backend).operations) {
    const std::string& of = operation.work.operation_class;
    if (binding.result == nullptr && (of == "gemm" || of == "dequantize")) continue;
    const AnnotatedRange step(operation.annotation);
    operation.run();
  }
}

MicroBatch CallerLayer::micro_batch_of(std::uint64_t pass) const {
  if (pass_number(pass) == 0 || pass > last_pass_) {
    throw std::invalid_argument("no forward pass of this layer has the number " +
                                std::to_string(pass));
  }
  if (scales_in_state_ && pass < last_first_pass_) {
    throw OutOfOrder(
        "a later forward pass has replaced the scales of this one, because recipe " +
        std::string(to_string(recipe_name_)) +
        " keeps one scale per tensor and layer; run each backward pass before the next forward "
        "pass, or declare that W has not changed, which keeps the scales");
  }
  return pass % 2 == 0 ? MicroBatch::first : MicroBatch::later;
}

std::uint64_t CallerLayer::fprop(void* stream, const Memory& memory, const void* x, const void* w,
                                 void* y, MicroBatch which) {
  const std::lock_guard lock(backends_->mutex());
  const StreamBackends::Current current(*backends_);
  Backend& backend = backends_->on(stream);
  if (which == MicroBatch::later && last_first_pass_ == 0) {
    throw OutOfOrder("no earlier forward pass of this layer has quantized W");
  }
  Binding binding{.pass = Pass::fprop, .which = which, .backend = &backend, .memory = memory};
  binding.x = x;
  binding.w = w;
  binding.result = y;
  const std::uint64_t pass =
      2 * (pass_number(last_pass_) + 1) + (which == MicroBatch::later ? 1 : 0);
  run(binding, backend);
  last_pass_ = pass;
  if (which == MicroBatch::first) last_first_pass_ = pass;
  return pass;
}

void CallerLayer::dgrad(void* stream, const Memory& memory, std::uint64_t pass, const void* dy,
                        const void* w, void* dx) {
  const std::lock_guard lock(backends_->mutex());
  const StreamBackends::Current current(*backends_);
  Backend& backend = backends_->on(stream);
  Binding binding{.pass = Pass::dgrad, .backend = &backend, .memory = memory};
  binding.which = micro_batch_of(pass);
  binding.dy = dy;
  binding.w = w;
  binding.result = dx;
  gradient_ = {};
  run(binding, backend);
  gradient_ = {pass, memory.scratch};
}

void CallerLayer::wgrad(void* stream, const Memory& memory, std::uint64_t pass, const void* dy,
                        const void* x, float* dw, MicroBatch which) {
  const std::lock_guard lock(backends_->mutex());
  const StreamBackends::Current current(*backends_);
  Backend& backend = backends_->on(stream);
  micro_batch_of(pass);
  if (gradient_.pass != pass || gradient_.scratch != memory.scratch) {
    throw OutOfOrder(
        "wgrad reads dy as quantized by dgrad, but the layer's last dgrad was of another forward "
        "pass or with other scratch memory; call dgrad directly before wgrad");
  }
  Binding binding{.pass = Pass::wgrad, .which = which, .backend = &backend, .memory = memory};
  binding.dy = dy;
  binding.x = x;
  binding.result = dw;
  run(binding, backend);
}

}  // namespace mansard::kernels
