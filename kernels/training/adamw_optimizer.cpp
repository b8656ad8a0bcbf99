// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/adamw_optimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mansard::kernels {

std::vector<ParameterSpan> gradient_buckets(const Parameters& parameters, int ranks,
                                            std::int64_t elements) {
  const std::int64_t unit = Parameters::kGranule * ranks;
  // Vectors follow the matrices, and are final only at the end.
  const std::int64_t vectors = parameters.decayed() / unit * unit;
  std::vector<std::int64_t> starts;  // in the order of backward
  if (parameters.head().offset > 0) starts.push_back(parameters.head().offset);
  for (std::size_t i = parameters.parts().size(); i-- > 0;) {
    starts.push_back(parameters.parts()[i].in.front().offset);
  }
  std::vector<ParameterSpan> buckets;
  std::int64_t end = vectors;
  for (const std::int64_t start : starts) {
    const std::int64_t first = round_up(start, unit);
    if (end - first < std::max(elements, unit)) continue;
    buckets.push_back({first, end - first});
    end = first;
  }
  if (end > 0) buckets.push_back({0, end});
  if (parameters.size() > vectors) buckets.push_back({vectors, parameters.size() - vectors});
  return buckets;
}

AdamWOptimizer::AdamWOptimizer(const OptimizerOptions& options, Transformer& transformer,
                               Operations& operations, Backend& backend, Collectives* collectives,
                               Arena& arena)
    : options_(options),
      transformer_(&transformer),
      operations_(&operations),
      backend_(&backend),
      collectives_(collectives) {
  const Parameters& parameters = transformer.parameters();
  const int ranks = collectives == nullptr ? 1 : collectives->size();
  if (collectives != nullptr) {
    const std::int64_t bytes =
        options_.bucket_bytes > 0 ? options_.bucket_bytes : collectives->bucket_bytes();
    buckets_ = gradient_buckets(parameters, ranks, bytes / 4);
  }
  options_.sharded = options_.sharded && ranks > 1;
  if (options_.sharded) {
    for (const ParameterSpan& bucket : buckets_) {
      const std::int64_t count = bucket.count / ranks;
      pieces_.push_back(
          {{bucket.first + collectives->rank() * count, count}, bucket.first / ranks});
    }
    for (const Piece& piece : pieces_) norm_spans_.push_back(piece.span);
    local_size_ = parameters.size() / ranks;
  } else {
    pieces_ = {{{0, parameters.size()}, 0}};
    if (collectives != nullptr) norm_spans_ = gradient_buckets(parameters, ranks, 0);
    local_size_ = parameters.size();
  }
  for (Buffer* buffer : {&master_, &first_moment_, &second_moment_}) {
    *buffer = arena.reserve(4 * local_size_);
  }
  partials_ = arena.reserve(4 * Sum::kPartials);
  norms_ = arena.reserve(4 * std::max<std::int64_t>(1, std::ssize(norm_spans_)));
  step_ = arena.reserve(sizeof(AdamWStep));
}

void AdamWOptimizer::initialize(const std::vector<float>& values) {
  const std::vector<float> zeros(static_cast<std::size_t>(local_size_));
  for (const Buffer& moment : {first_moment_, second_moment_}) {
    backend_->write(moment.as<float>(), zeros.data(), 4 * local_size_);
  }
  for (const Piece& piece : pieces_) {
    backend_->write(master_.as<float>() + piece.local, values.data() + piece.span.first,
                    4 * piece.span.count);
  }
  publish_weights();
}

void AdamWOptimizer::publish(const Piece& piece) {
  constexpr std::int64_t kMost = std::int64_t{4} << 20;  // elements on the host at a time
  std::vector<float> master(static_cast<std::size_t>(std::min(kMost, piece.span.count)));
  std::vector<Bf16> rounded(master.size());
  for (std::int64_t at = 0; at < piece.span.count; at += kMost) {
    const std::int64_t count = std::min(kMost, piece.span.count - at);
    backend_->read(master.data(), master_.as<float>() + piece.local + at, 4 * count);
    std::transform(master.begin(), master.begin() + count, rounded.begin(), bf16::from_float);
    backend_->write(transformer_->weights() + piece.span.first + at, rounded.data(), 2 * count);
  }
}

void AdamWOptimizer::publish_weights(const Parameter& parameter) {
  publish({{parameter.offset, parameter.shape.elements()}, parameter.offset});
}

void AdamWOptimizer::publish_weights() {
  for (const Piece& piece : pieces_) publish(piece);
  if (!options_.sharded) return;
  for (std::size_t i = 0; i < pieces_.size(); ++i) gather_weights(i);
  collectives_->join();
}

// ---- A step ----

void AdamWOptimizer::begin_step(std::int64_t step, double learning_rate) {
  const auto t = static_cast<double>(step + 1);
  const AdamWStep adamw = {static_cast<float>(learning_rate),
                           static_cast<float>(1 / (1 - std::pow(double{options_.beta1}, t))),
                           static_cast<float>(1 / (1 - std::pow(double{options_.beta2}, t)))};
  backend_->write(step_.as<AdamWStep>(), &adamw, sizeof adamw);
}

void AdamWOptimizer::exchange(const ParameterSpan& bucket) {
  float* const gradient = transformer_->gradient() + bucket.first;
  if (options_.sharded) {
    collectives_->reduce_scatter(gradient, bucket.count);
  } else {
    collectives_->all_reduce(gradient, bucket.count);
  }
}

void AdamWOptimizer::exchange_from(std::int64_t first) {
  if (!options_.overlap) return;
  while (exchanged_ < buckets_.size() && buckets_[exchanged_].first >= first &&
         buckets_[exchanged_].first > 0) {
    exchange(buckets_[exchanged_++]);
  }
}

void AdamWOptimizer::finish_step(float* shared, std::int64_t shared_count, float* squared_norm) {
  Transformer& t = *transformer_;
  if (collectives_ == nullptr) {
    sum(t.gradient(), t.parameters().size(), true, squared_norm);
  } else {
    const std::size_t early = std::exchange(exchanged_, 0);
    {
      const AnnotatedRange range("gradient exchange");
      if (early > 0) collectives_->join();
      for (std::size_t i = early; i < buckets_.size(); ++i) exchange(buckets_[i]);
      collectives_->all_reduce(shared, shared_count);
    }
    sum_squares(0, early);  // while the others are exchanged
    collectives_->join();
    sum_squares(early, buckets_.size());
    sum(norms_.as<float>(), static_cast<std::int64_t>(norm_spans_.size()), false, squared_norm);
  }
  if (!options_.sharded) {
    update(pieces_.front(), squared_norm);
    return;
  }
  collectives_->all_reduce(squared_norm, 1);
  collectives_->join();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    update(pieces_[i], squared_norm);
    gather_weights(i);
  }
  collectives_->join();
}

void AdamWOptimizer::sum_squares(std::size_t first_bucket, std::size_t end_bucket) {
  for (std::size_t i = 0; i < norm_spans_.size(); ++i) {
    const ParameterSpan& span = norm_spans_[i];
    const bool is_exchanged =
        std::any_of(buckets_.begin() + static_cast<std::ptrdiff_t>(first_bucket),
                    buckets_.begin() + static_cast<std::ptrdiff_t>(end_bucket),
                    [&](const ParameterSpan& bucket) {
                      return span.first >= bucket.first && span.first < bucket.first + bucket.count;
                    });
    if (is_exchanged) {
      sum(transformer_->gradient() + span.first, span.count, true, norms_.as<float>() + i);
    }
  }
}

void AdamWOptimizer::sum(const float* x, std::int64_t count, bool squares, float* out) {
  Sum o;
  o.count = count;
  o.squares = squares;
  o.x = x;
  o.partials = partials_.as<float>();
  o.out = out;
  (*operations_)(o);
}

void AdamWOptimizer::update(const Piece& piece, const float* squared_norm) {
  AdamW adamw;
  adamw.count = piece.span.count;
  adamw.decayed = std::clamp<std::int64_t>(transformer_->parameters().decayed() - piece.span.first,
                                           0, piece.span.count);
  adamw.beta1 = options_.beta1;
  adamw.beta2 = options_.beta2;
  adamw.weight_decay = options_.weight_decay;
  adamw.max_norm = options_.max_norm;
  adamw.squared_norm = squared_norm;
  adamw.step = step_.as<AdamWStep>();
  adamw.gradient = transformer_->gradient() + piece.span.first;
  adamw.first_moment = first_moment_.as<float>() + piece.local;
  adamw.second_moment = second_moment_.as<float>() + piece.local;
  adamw.master = master_.as<float>() + piece.local;
  adamw.weights = transformer_->weights() + piece.span.first;
  (*operations_)(adamw);
}

void AdamWOptimizer::gather_weights(std::size_t bucket) {
  const ParameterSpan& own = pieces_[bucket].span;
  Bf16* const weights = transformer_->weights();
  collectives_->all_gather(weights + own.first, weights + buckets_[bucket].first, 2 * own.count);
}

// ---- Checkpoints ----

// A sharded array travels through the gradient, which has no meaning between steps.
void AdamWOptimizer::gather(const Buffer& array) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    collectives_->all_gather(array.as<float>() + pieces_[i].local,
                             transformer_->gradient() + buckets_[i].first,
                             4 * pieces_[i].span.count);
  }
  collectives_->join();
  backend_->synchronize();
}

void AdamWOptimizer::scatter(const Buffer& array) {
  std::vector<float> values;
  for (const Piece& piece : pieces_) {
    values.resize(static_cast<std::size_t>(piece.span.count));
    backend_->read(values.data(), transformer_->gradient() + piece.span.first,
                   4 * piece.span.count);
    backend_->write(array.as<float>() + piece.local, values.data(), 4 * piece.span.count);
  }
}

namespace {

// `array`: all parameters.
CheckpointTensor tensor_of(const Parameter& p, const char* prefix, float* array) {
  CheckpointTensor tensor;
  tensor.name = prefix + p.name;
  tensor.type = "F32";
  tensor.shape = p.is_vector() ? std::vector<std::int64_t>{p.shape.cols}
                               : std::vector<std::int64_t>{p.shape.rows, p.shape.cols};
  tensor.data = array + p.offset;
  tensor.bytes = 4 * p.shape.elements();
  return tensor;
}

constexpr const char* kFirstMoment = "optimizer.first_moment.";
constexpr const char* kSecondMoment = "optimizer.second_moment.";

}  // namespace

std::vector<CheckpointTensor> AdamWOptimizer::checkpoint_tensors(const Parameter& p) const {
  return {tensor_of(p, "", master_.as<float>()),
          tensor_of(p, kFirstMoment, first_moment_.as<float>()),
          tensor_of(p, kSecondMoment, second_moment_.as<float>())};
}

std::vector<CheckpointTensor> AdamWOptimizer::checkpoint_tensors() {
  std::vector<CheckpointTensor> tensors;
  const auto add = [&](const char* prefix, const Buffer& array) {
    const std::size_t first = tensors.size();
    float* const data = options_.sharded ? transformer_->gradient() : array.as<float>();
    for (const Parameter& p : transformer_->parameters().all()) {
      tensors.push_back(tensor_of(p, prefix, data));
    }
    if (!options_.sharded) return;
    tensors[first].fetch = [this, array] { gather(array); };
    tensors.back().store = [this, array] { scatter(array); };
  };
  add("", master_);
  add(kFirstMoment, first_moment_);
  add(kSecondMoment, second_moment_);
  return tensors;
}

}  // namespace mansard::kernels
