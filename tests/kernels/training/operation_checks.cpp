// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/training/operation_checks.h"

#include <cmath>
#include <limits>

#include "kernels/training/batch.h"
#include "tests/kernels/training/check_values.h"

namespace mansard::kernels {
namespace {

Tensor<float> zero(Backend& backend) { return {backend, std::vector<float>{0.0f}}; }

}  // namespace

void check_embedding(Backend& backend, bool positions) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 48, kCols = 32, kVocabulary = 20, kSequence = 12;
  const BatchLayout layout(kRows);
  std::vector<std::int32_t> batch(at(layout.bytes() / 4));
  // Token 3 is frequent, and tokens from 10 on do not occur.
  for (std::int64_t i = 0; i < kRows; ++i) {
    layout.tokens(batch.data())[i] = i % 3 == 0 ? 3 : static_cast<std::int32_t>(i * 7 % 10);
  }
  layout.group_tokens(batch.data());
  const std::vector<Bf16> table = random_values(kVocabulary * kCols, 1);
  const std::vector<Bf16> place = random_values(kSequence * kCols, 2);
  const std::vector<Bf16> d_out = random_values(kRows * kCols, 3);
  const std::vector<float> before(at(kVocabulary * kCols), 0.5f);

  const Tensor<std::int32_t> device_batch(backend, batch);
  const Tensor<Bf16> device_table(backend, table), device_place(backend, place),
      device_d_out(backend, d_out), out(backend, kRows * kCols);
  EmbeddingForward forward;
  forward.rows = kRows;
  forward.cols = kCols;
  forward.tokens = layout.tokens(device_batch.get());
  forward.table = device_table.get();
  forward.positions = positions ? device_place.get() : nullptr;
  forward.sequence = kSequence;
  forward.out = out.get();
  (*run)(forward);

  Values expected, d_table(at(kVocabulary * kCols)), d_place(at(kSequence * kCols));
  for (std::int64_t row = 0; row < kRows; ++row) {
    const std::int64_t token = batch[at(row)];
    for (std::int64_t c = 0; c < kCols; ++c) {
      const std::int64_t position = row % kSequence * kCols + c;
      expected.push_back(number(table[at(token * kCols + c)]) +
                         (positions ? number(place[at(position)]) : 0));
      d_table[at(token * kCols + c)] += number(d_out[at(row * kCols + c)]);
      d_place[at(position)] += number(d_out[at(row * kCols + c)]);
    }
  }
  expect_near(out.values(), expected, "embedding", 0x1p-8);

  for (const bool accumulate : {false, true}) {
    const Tensor<float> table_gradient(backend, before), place_gradient(backend, kSequence * kCols);
    EmbeddingBackward backward;
    backward.rows = kRows;
    backward.cols = kCols;
    backward.vocabulary = kVocabulary;
    backward.groups = layout.groups(device_batch.get());
    backward.d_out = device_d_out.get();
    backward.d_table = table_gradient.get();
    backward.accumulate_table = accumulate;
    backward.sequence = kSequence;
    if (positions) backward.d_positions = place_gradient.get();
    (*run)(backward);
    Values sums = d_table;
    if (accumulate) {
      for (double& x : sums) x += 0.5;
    }
    expect_near(table_gradient.values(), sums, "gradient of the embedding", 1e-6);
    if (positions) {
      expect_near(place_gradient.values(), d_place, "gradient of the positions", 1e-6);
    }
  }
}

void check_norm(Backend& backend, Norm kind, std::int64_t cols) {
  SCOPED_TRACE(std::to_string(cols) + " columns");
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 7;
  const bool layer = kind == Norm::layer;
  const std::vector<Bf16> x = random_values(kRows * cols, 1),
                          delta = random_values(kRows * cols, 2), gain = random_values(cols, 3),
                          bias = random_values(cols, 4), d_out = random_values(kRows * cols, 5),
                          residual = random_values(kRows * cols, 6);
  const Tensor<Bf16> dx(backend, x), ddelta(backend, delta), dgain(backend, gain),
      dbias(backend, bias), sum(backend, kRows * cols), out(backend, kRows * cols);
  const Tensor<float> mean(backend, kRows), inverse(backend, kRows);
  NormForward forward;
  forward.kind = kind;
  forward.rows = kRows;
  forward.cols = cols;
  forward.x = dx.get();
  forward.delta = ddelta.get();
  forward.sum = sum.get();
  forward.gain = dgain.get();
  forward.bias = layer ? dbias.get() : nullptr;
  forward.out = out.get();
  forward.mean = layer ? mean.get() : nullptr;
  forward.inverse = inverse.get();
  const Tensor<float> amax = zero(backend);
  forward.amax = amax.get();
  (*run)(forward);
  expect_amax(backend, amax, out, "a norm");

  Values z = wide(x);
  const Values added = wide(delta);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += added[i];
  expect_near(sum.values(), z, "sum", 0x1p-8);
  z = sum.values();  // rounded
  // The last `cols` elements of `input` are the gain.
  const auto normalize = [&](const Values& input) {
    Values result;
    for (std::int64_t row = 0; row < kRows; ++row) {
      double average = 0;
      for (std::int64_t c = 0; layer && c < cols; ++c) average += input[at(row * cols + c)];
      average /= static_cast<double>(cols);
      double squares = 0;
      for (std::int64_t c = 0; c < cols; ++c) {
        squares += std::pow(input[at(row * cols + c)] - average, 2);
      }
      const double scale = 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5);
      for (std::int64_t c = 0; c < cols; ++c) {
        result.push_back((input[at(row * cols + c)] - average) * scale *
                             input[at(kRows * cols + c)] +
                         (layer ? number(bias[at(c)]) : 0));
      }
    }
    return result;
  };
  Values input = z;
  for (const Bf16 g : gain) input.push_back(number(g));
  expect_near(out.values(), normalize(input), "norm");

  const Tensor<Bf16> device_d_out(backend, d_out), d_x(backend, residual);
  const std::vector<float> before(at(cols), 2.0f);
  const Tensor<float> d_gain(backend, before), d_bias(backend, before),
      scratch(backend, 2 * NormBackward::kPartialRows * cols);
  NormBackward backward;
  backward.kind = kind;
  backward.rows = kRows;
  backward.cols = cols;
  backward.z = sum.get();
  backward.gain = dgain.get();
  backward.mean = forward.mean;
  backward.inverse = inverse.get();
  backward.d_out = device_d_out.get();
  backward.d_residual = d_x.get();
  backward.d_x = d_x.get();
  backward.d_gain = d_gain.get();
  backward.d_bias = layer ? d_bias.get() : nullptr;
  backward.scratch = scratch.get();
  const Values weight = wide(d_out);
  // All elements of a small tensor, some of a large one: each difference computes all rows.
  std::vector<std::size_t> sample = all_of(input.size());
  if (cols > 300) {
    for (std::size_t& i : sample) i = static_cast<std::size_t>(splitmix64(i)) % z.size();
    for (std::size_t i = 20; i < 30; ++i) sample[i] = z.size() + i;
    sample.resize(30);
  }
  Values gradient =
      numeric_gradient([&](const Values& v) { return dot(normalize(v), weight); }, input, sample);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] < residual.size()) gradient[i] += number(residual[sample[i]]);
  }
  // Sampled results: the gradient of z is BF16, that of the gain FP32.
  const auto of_gain = [&](const Values& values, bool gain_part) {
    Values part;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if ((sample[i] >= z.size()) == gain_part) part.push_back(values[i]);
    }
    return part;
  };
  const auto results = [&] {
    Values all = d_x.values();
    for (const double g : d_gain.values()) all.push_back(g);
    return pick(all, sample);
  };
  const Tensor<float> amax_of_d_x = zero(backend);
  backward.amax = amax_of_d_x.get();
  (*run)(backward);
  expect_amax(backend, amax_of_d_x, d_x, "the gradient of a norm");
  backward.amax = nullptr;
  expect_near(of_gain(results(), false), of_gain(gradient, false), "d_x");
  expect_near(of_gain(results(), true), of_gain(gradient, true), "d_gain", 1e-4);
  if (layer) {
    Values sums(at(cols));
    for (std::size_t i = 0; i < d_out.size(); ++i) sums[i % at(cols)] += number(d_out[i]);
    expect_near(d_bias.values(), sums, "d_bias", 1e-5);
  }
  backward.accumulate = true;
  (*run)(backward);
  Values twice = of_gain(gradient, true);
  for (double& g : twice) g *= 2;
  expect_near(of_gain(results(), true), twice, "accumulated d_gain", 1e-4);
}

void check_rope(Backend& backend) {
  const auto run = make_operations(backend);
  const AttentionShape shape{2, 5, 4, 2, 16};
  std::vector<Bf16> qkv = random_values(shape.rows() * shape.qkv_cols(), 1);
  // The largest magnitude is in V, which is not rotated.
  qkv[at(3 * shape.qkv_cols() - 5)] = bf16::from_float(-20);
  std::vector<float> table;
  for (std::int64_t i = 0; i < shape.sequence * shape.head_size / 2; ++i) {
    table.push_back(std::cos(0.3f * static_cast<float>(i)));
    table.push_back(std::sin(0.3f * static_cast<float>(i)));
  }
  const Tensor<float> angles(backend, table);
  for (const bool inverse : {false, true}) {
    const Tensor<Bf16> x(backend, qkv);
    Rope rope{shape, angles.get(), inverse, x.get()};
    const double bytes_without = rope.bytes();
    const Tensor<float> amax = zero(backend);
    rope.amax = amax.get();
    (*run)(rope);
    expect_amax(backend, amax, x, "RoPE");
    const Tensor<Bf16> without_amax(backend, qkv);
    (*run)(Rope{shape, angles.get(), inverse, without_amax.get()});
    EXPECT_EQ(without_amax.raw(), x.raw());
    EXPECT_EQ(rope.bytes() - bytes_without, 2 * shape.rows() * shape.kv_heads * shape.head_size);
    Values expected = wide(qkv);
    const std::int64_t half = shape.head_size / 2;
    for (std::int64_t row = 0; row < shape.rows(); ++row) {
      for (std::int64_t head = 0; head < shape.heads + shape.kv_heads; ++head) {
        for (std::int64_t i = 0; i < half; ++i) {
          const std::int64_t a = row * shape.qkv_cols() + head * shape.head_size + i;
          const double angle =
              (inverse ? -0.3 : 0.3) * static_cast<double>(row % shape.sequence * half + i);
          const double first = number(qkv[at(a)]);
          const double second = number(qkv[at(a + half)]);
          expected[at(a)] = first * std::cos(angle) - second * std::sin(angle);
          expected[at(a + half)] = second * std::cos(angle) + first * std::sin(angle);
        }
      }
    }
    expect_near(x.values(), expected, "RoPE", 0x1p-8);
  }
}

void check_swiglu(Backend& backend) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 5, kWidth = 48;
  const std::vector<Bf16> gate_up = random_values(kRows * 2 * kWidth, 1, 1),
                          d_out = random_values(kRows * kWidth, 2);
  const auto reference = [&](const Values& v) {
    Values out;
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t c = 0; c < kWidth; ++c) {
        const double g = v[at(row * 2 * kWidth + c)];
        out.push_back(g / (1 + std::exp(-g)) * v[at(row * 2 * kWidth + kWidth + c)]);
      }
    }
    return out;
  };
  const Tensor<Bf16> x(backend, gate_up), device_d_out(backend, d_out),
      out(backend, kRows * kWidth), d_x(backend, kRows * 2 * kWidth);
  const Tensor<float> amax = zero(backend);
  (*run)(SwigluForward{kRows, kWidth, x.get(), out.get(), amax.get()});
  expect_amax(backend, amax, out, "SwiGLU");
  const Tensor<Bf16> without_amax(backend, kRows * kWidth);
  (*run)(SwigluForward{kRows, kWidth, x.get(), without_amax.get()});
  EXPECT_EQ(without_amax.raw(), out.raw());
  expect_near(out.values(), reference(wide(gate_up)), "SwiGLU");
  const Tensor<float> amax_of_d_x = zero(backend);
  (*run)(SwigluBackward{kRows, kWidth, x.get(), device_d_out.get(), d_x.get(), amax_of_d_x.get()});
  expect_amax(backend, amax_of_d_x, d_x, "the gradient of SwiGLU");
  const Values weight = wide(d_out);
  expect_near(d_x.values(),
              numeric_gradient([&](const Values& v) { return dot(reference(v), weight); },
                               wide(gate_up), all_of(gate_up.size())),
              "gradient of SwiGLU");
}

void check_gelu(Backend& backend) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 5, kWidth = 48;
  const std::vector<Bf16> x = random_values(kRows * kWidth, 1, 1),
                          d_out = random_values(kRows * kWidth, 2);
  const auto reference = [&](const Values& v) {
    Values out;
    for (const double e : v) {
      const double t =
          std::tanh(std::sqrt(2 / 3.14159265358979323846) * (e + 0.044715 * e * e * e));
      out.push_back(0.5 * e * (1 + t));
    }
    return out;
  };
  const Tensor<Bf16> device_x(backend, x), device_d_out(backend, d_out),
      out(backend, kRows * kWidth), d_x(backend, kRows * kWidth);
  const Tensor<float> amax = zero(backend);
  (*run)(GeluForward{kRows, kWidth, device_x.get(), out.get(), amax.get()});
  expect_amax(backend, amax, out, "GELU");
  expect_near(out.values(), reference(wide(x)), "GELU");
  const Tensor<float> amax_of_d_x = zero(backend);
  (*run)(GeluBackward{kRows, kWidth, device_x.get(), device_d_out.get(), d_x.get(),
                      amax_of_d_x.get()});
  expect_amax(backend, amax_of_d_x, d_x, "the gradient of GELU");
  const Values weight = wide(d_out);
  expect_near(d_x.values(),
              numeric_gradient([&](const Values& v) { return dot(reference(v), weight); }, wide(x),
                               all_of(x.size())),
              "gradient of GELU");
}

void check_bias(Backend& backend) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 300, kCols = 48;
  const std::vector<Bf16> x = random_values(kRows * kCols, 1), bias = random_values(kCols, 2);
  const Tensor<Bf16> device_x(backend, x), device_bias(backend, bias);
  const Tensor<float> d_bias(backend, kCols), scratch(backend, NormBackward::kPartialRows * kCols);
  (*run)(BiasBackward{kRows, kCols, device_x.get(), d_bias.get(), false, scratch.get()});
  Values sums(at(kCols)), added;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[i % at(kCols)] += number(x[i]);
    added.push_back(number(x[i]) + number(bias[i % at(kCols)]));
  }
  expect_near(d_bias.values(), sums, "gradient of the bias", 1e-5);
  const Tensor<float> amax = zero(backend);
  (*run)(BiasBackward{kRows, kCols, device_x.get(), d_bias.get(), true, scratch.get(), amax.get()});
  expect_amax(backend, amax, device_x, "the gradient of a bias");
  for (double& s : sums) s *= 2;
  expect_near(d_bias.values(), sums, "accumulated gradient of the bias", 1e-5);
  (*run)(BiasForward{kRows, kCols, device_bias.get(), device_x.get()});
  expect_near(device_x.values(), added, "bias", 0x1p-8);
}

void check_amax(Backend& backend) {
  const auto run = make_operations(backend);
  // More than a thread block, and the largest magnitude in any part of it.
  constexpr std::int64_t kRows = 33, kWidth = 272;
  const float infinity = std::numeric_limits<float>::infinity();
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t place :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{4000}, kRows * kWidth - 1}) {
    for (const float extreme : {1e30f, infinity, nan}) {
      std::vector<Bf16> values = random_values(kRows * kWidth, 1);
      values[at(place)] = bf16::from_float(extreme);
      const Tensor<Bf16> x(backend, values), out(backend, kRows * kWidth);
      const Tensor<float> amax = zero(backend);
      (*run)(GeluForward{kRows, kWidth, x.get(), out.get(), amax.get()});
      expect_amax(backend, amax, out, "extreme values");
    }
  }
  // It is raised, until it is cleared.
  const Tensor<float> amax(backend, std::vector<float>{1e30f, 2.0f});
  const Tensor<Bf16> x(backend, random_values(kRows * kWidth, 1)), out(backend, kRows * kWidth);
  const GeluForward gelu{kRows, kWidth, x.get(), out.get(), amax.get()};
  (*run)(gelu);
  EXPECT_EQ(amax.raw(), (std::vector<float>{1e30f, 2.0f}));
  (*run)(ClearAmax{1, amax.get()});
  EXPECT_EQ(amax.raw(), (std::vector<float>{0.0f, 2.0f}));
  (*run)(gelu);
  expect_amax(backend, amax, out, "a cleared scalar");
}

void check_cross_entropy(Backend& backend, std::int64_t vocabulary, std::int64_t cols) {
  SCOPED_TRACE(std::to_string(vocabulary) + " of " + std::to_string(cols) + " logits");
  const auto run = make_operations(backend);
  constexpr std::int64_t kRows = 6;
  constexpr float kScale = 0.25f;
  const std::vector<Bf16> logits = random_values(kRows * cols, 1, 2);
  std::vector<std::int32_t> targets;
  for (std::int64_t row = 0; row < kRows; ++row) {
    targets.push_back(static_cast<std::int32_t>((row * 13 + vocabulary - 1) % vocabulary));
  }
  Values losses, gradient;
  for (std::int64_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (std::int64_t c = 0; c < vocabulary; ++c)
      sum += std::exp(number(logits[at(row * cols + c)]));
    losses.push_back(std::log(sum) - number(logits[at(row * cols + targets[at(row)])]));
    for (std::int64_t c = 0; c < cols; ++c) {
      const double p = c < vocabulary ? std::exp(number(logits[at(row * cols + c)])) / sum : 0;
      gradient.push_back(double{kScale} * (p - (c == targets[at(row)] ? 1 : 0)));
    }
  }
  const Tensor<std::int32_t> device_targets(backend, targets);
  const Tensor<Bf16> device_logits(backend, logits);
  const Tensor<float> device_losses(backend, kRows);
  CrossEntropy o{
      kRows, cols, vocabulary, device_logits.get(), device_targets.get(), device_losses.get(), 0};
  (*run)(o);
  expect_near(device_losses.values(), losses, "loss", 1e-5);
  EXPECT_EQ(device_logits.raw(), logits) << "evaluation changes the logits";
  o.gradient_scale = kScale;
  (*run)(o);
  expect_near(device_losses.values(), losses, "loss", 1e-5);
  expect_near(device_logits.values(), gradient, "gradient of the logits");
}

void check_sum(Backend& backend, std::int64_t count) {
  const auto run = make_operations(backend);
  std::vector<float> x(at(count));
  fill_random(x.data(), count, DataPattern::random_uniform, 3);
  double sum = 0, squares = 0;
  for (const float v : x) sum += double{v}, squares += double{v} * double{v};
  const Tensor<float> device_x(backend, x), partials(backend, Sum::kPartials), out(backend, 1);
  (*run)(Sum{count, false, device_x.get(), partials.get(), out.get()});
  expect_near(out.values(), {sum}, "sum", 1e-6);
  (*run)(Sum{count, true, device_x.get(), partials.get(), out.get()});
  expect_near(out.values(), {squares}, "sum of squares", 1e-6);
}

void check_adamw(Backend& backend) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kCount = 1000, kDecayed = 640;
  std::vector<float> gradient(at(kCount)), m(gradient), v(gradient), master(gradient);
  fill_random(gradient.data(), kCount, DataPattern::random_normal, 1);
  fill_random(m.data(), kCount, DataPattern::random_normal, 2);
  fill_random(v.data(), kCount, DataPattern::random_uniform, 3);
  fill_random(master.data(), kCount, DataPattern::random_normal, 4);
  for (float& x : v) x = std::fabs(x) + 0.01f;
  double squares = 0;
  for (const float g : gradient) squares += double{g} * double{g};
  const Tensor<float> d_gradient(backend, gradient), d_m(backend, m), d_v(backend, v),
      d_master(backend, master), norm(backend, std::vector<float>{static_cast<float>(squares)});
  const Tensor<Bf16> weights(backend, kCount);
  const AdamWStep step{0.01f, 1.5f, 3.0f};
  const std::shared_ptr<void> device_step = backend.allocate(sizeof step);
  backend.write(device_step.get(), &step, sizeof step);
  AdamW o;
  o.count = kCount;
  o.decayed = kDecayed;
  o.max_norm = 2;  // the norm is about 32
  o.squared_norm = norm.get();
  o.step = static_cast<const AdamWStep*>(device_step.get());
  o.gradient = d_gradient.get();
  o.first_moment = d_m.get();
  o.second_moment = d_v.get();
  o.master = d_master.get();
  o.weights = weights.get();
  (*run)(o);
  Values new_m, new_v, new_master;
  for (std::size_t i = 0; i < at(kCount); ++i) {
    const double g = double{gradient[i]} * 2 / std::sqrt(squares);
    new_m.push_back(double{o.beta1} * double{m[i]} + (1 - double{o.beta1}) * g);
    new_v.push_back(double{o.beta2} * double{v[i]} + (1 - double{o.beta2}) * g * g);
    const double direction = new_m.back() * 1.5 / (std::sqrt(new_v.back() * 3) + 1e-8);
    const double decay = i < at(kDecayed) ? double{o.weight_decay} * double{master[i]} : 0;
    new_master.push_back(double{master[i]} - 0.01 * (direction + decay));
  }
  expect_near(d_m.values(), new_m, "first moment", 1e-6);
  expect_near(d_v.values(), new_v, "second moment", 1e-6);
  expect_near(d_master.values(), new_master, "master weights", 1e-6);
  expect_near(weights.values(), new_master, "weights", 0x1p-8);
}

void check_replica_operations(Backend& backend) {
  const auto run = make_operations(backend);
  constexpr std::int64_t kCount = 128 * 37;
  const auto random = [](std::uint64_t seed) {
    std::vector<float> values(at(kCount));
    fill_random(values.data(), kCount, DataPattern::random_normal, seed);
    return values;
  };
  const std::vector<float> target = random(1), copy = random(2), master = random(3),
                           velocity = random(4);
  const Tensor<float> d_target(backend, target), d_copy(backend, copy), d_master(backend, master),
      d_velocity(backend, velocity), moved(backend, kCount), scaled(backend, target);
  const Tensor<Bf16> weights(backend, kCount);
  (*run)(ScaleWeights{kCount, 0.25f, scaled.get()});
  (*run)(ElasticStep{kCount, 0.75f, 0.5f, d_target.get(), d_copy.get(), d_master.get(),
                     weights.get()});
  (*run)(CenterStep{kCount, 0.25f, d_target.get(), d_copy.get(), moved.get()});
  Values in_scale, stepped, center;
  for (std::size_t i = 0; i < at(kCount); ++i) {
    in_scale.push_back(0.25 * double{target[i]});
    stepped.push_back(double{master[i]} + 0.75 * (0.5 * double{target[i]} - double{copy[i]}));
    center.push_back(double{target[i]} + 0.25 * (double{copy[i]} - double{target[i]}));
  }
  expect_near(scaled.values(), in_scale, "scaled weights", 1e-6);
  expect_near(d_master.values(), stepped, "master weights after an elastic step", 1e-6);
  expect_near(weights.values(), stepped, "weights after an elastic step", 0x1p-8);
  expect_near(moved.values(), center, "moved center", 1e-6);

  const Tensor<float> sum(backend, target), global(backend, copy);
  (*run)(BlockUpdate{kCount, 0.25f, 2, 0.5f, sum.get(), global.get(), d_velocity.get()});
  Values new_velocity, new_global;
  for (std::size_t i = 0; i < at(kCount); ++i) {
    new_velocity.push_back(0.25 * double{velocity[i]} +
                           2 * (0.5 * double{target[i]} - double{copy[i]}));
    new_global.push_back(double{copy[i]} + new_velocity.back());
  }
  expect_near(d_velocity.values(), new_velocity, "block velocity", 1e-6);
  expect_near(global.values(), new_global, "global weights", 1e-6);
  expect_near(sum.values(), new_global, "global weights in place of the sum", 1e-6);
}

}  // namespace mansard::kernels
