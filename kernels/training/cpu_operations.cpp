// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/cpu_operations.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/device/parallel.h"

namespace mansard::kernels {
namespace {

float widen(Bf16 x) { return bf16::to_float(x); }
Bf16 narrow(float x) { return bf16::from_float(x); }

// Calls body(first, end) for pieces of [0, count) that are worth a thread: of at least 32 Ki
// elements, where each index stands for `width` elements.
template <class Body>
void for_pieces(std::int64_t count, std::int64_t width, const Body& body) {
  const std::int64_t piece =
      std::max<std::int64_t>(1, (32 << 10) / std::max<std::int64_t>(1, width));
  parallel_for(ceil_div(count, piece),
               [&](std::int64_t i) { body(i * piece, std::min(count, (i + 1) * piece)); });
}

template <class Body>
void for_each(std::int64_t count, std::int64_t width, const Body& body) {
  for_pieces(count, width, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) body(i);
  });
}

// Raises *amax, if it is set, to the largest magnitude of a piece of a tensor that a thread has
// written. The bits of magnitudes are ordered like their values, with NaN above infinity.
void raise_amax(float* amax, const Bf16* x, std::int64_t count) {
  if (amax == nullptr) return;
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::uint32_t{x[i].bits} & 0x7fffu);
  }
  largest <<= 16;
  std::atomic_ref<float> shared(*amax);
  float seen = shared;
  while (std::bit_cast<std::uint32_t>(seen) < largest &&
         !shared.compare_exchange_weak(seen, std::bit_cast<float>(largest))) {
  }
}

void store(float value, bool accumulate, float& out) { out = accumulate ? out + value : value; }

constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2 / pi)
constexpr float kGeluCubic = 0.044715f;

class CpuOperations : public Operations {
 public:
  CpuOperations() : Operations(MemoryLevel::dram) {}

  void prepare_attention(const AttentionShape&) override {}
  bool attention_finds_amax() const override { return true; }
  std::int64_t attention_scratch_bytes(const AttentionShape&) const override { return 0; }
  std::string attention_name() const override { return "loops on the CPU"; }

 protected:
  void run(const EmbeddingForward& o) override {
    for_each(o.rows, o.cols, [&](std::int64_t row) {
      const Bf16* from = o.table + o.tokens[row] * o.cols;
      Bf16* to = o.out + row * o.cols;
      if (o.positions == nullptr) {
        std::copy(from, from + o.cols, to);
        return;
      }
      const Bf16* position = o.positions + row % o.sequence * o.cols;
      for (std::int64_t c = 0; c < o.cols; ++c) {
        to[c] = narrow(widen(from[c]) + widen(position[c]));
      }
    });
  }

  void run(const EmbeddingBackward& o) override {
    const TokenGroups& g = o.groups;
    if (!o.accumulate_table) std::fill(o.d_table, o.d_table + o.vocabulary * o.cols, 0.0f);
    for_each(o.rows, o.cols, [&](std::int64_t group) {
      if (g.start[group] == g.start[group + 1]) return;
      float* to = o.d_table + g.token[group] * o.cols;
      for (std::int64_t i = g.start[group]; i < g.start[group + 1]; ++i) {
        const Bf16* from = o.d_out + g.row[i] * o.cols;
        for (std::int64_t c = 0; c < o.cols; ++c) to[c] += widen(from[c]);
      }
    });
    if (o.d_positions == nullptr) return;
    for_each(o.sequence * o.cols, ceil_div(o.rows, o.sequence), [&](std::int64_t i) {
      float sum = 0;
      for (std::int64_t at = i; at < o.rows * o.cols; at += o.sequence * o.cols) {
        sum += widen(o.d_out[at]);
      }
      store(sum, o.accumulate_positions, o.d_positions[i]);
    });
  }

  void run(const ClearAmax& o) override { std::fill_n(o.amax, o.count, 0.0f); }

  void run(const NormForward& o) override {
    const auto count = static_cast<float>(o.cols);
    for_each(o.rows, o.cols, [&](std::int64_t row) {
      const Bf16* z = o.x + row * o.cols;
      if (o.delta != nullptr) {
        const Bf16* delta = o.delta + row * o.cols;
        Bf16* sum = o.sum + row * o.cols;
        for (std::int64_t c = 0; c < o.cols; ++c) sum[c] = narrow(widen(z[c]) + widen(delta[c]));
        z = sum;
      }
      float mean = 0;
      if (o.kind == Norm::layer) {
        for (std::int64_t c = 0; c < o.cols; ++c) mean += widen(z[c]);
        mean /= count;
        o.mean[row] = mean;
      }
      float squares = 0;
      for (std::int64_t c = 0; c < o.cols; ++c) {
        const float centered = widen(z[c]) - mean;
        squares += centered * centered;
      }
      const float inverse = 1 / std::sqrt(squares / count + o.epsilon);
      o.inverse[row] = inverse;
      Bf16* out = o.out + row * o.cols;
      for (std::int64_t c = 0; c < o.cols; ++c) {
        const float scaled = (widen(z[c]) - mean) * inverse * widen(o.gain[c]);
        out[c] = narrow(o.bias == nullptr ? scaled : scaled + widen(o.bias[c]));
      }
      raise_amax(o.amax, out, o.cols);
    });
  }

  // With n = (z - mean) * inverse and g = gain * d_out: d_z = inverse * (g - mean(g) - n * mean(n
  // g)), without the first mean for RMS norms.
  void run(const NormBackward& o) override {
    const auto count = static_cast<float>(o.cols);
    const auto mean_of = [&](std::int64_t row) { return o.mean == nullptr ? 0.0f : o.mean[row]; };
    for_each(o.cols, o.rows, [&](std::int64_t c) {
      float gain = 0;
      float bias = 0;
      for (std::int64_t row = 0; row < o.rows; ++row) {
        const float d = widen(o.d_out[row * o.cols + c]);
        gain += d * (widen(o.z[row * o.cols + c]) - mean_of(row)) * o.inverse[row];
        bias += d;
      }
      store(gain, o.accumulate, o.d_gain[c]);
      if (o.d_bias != nullptr) store(bias, o.accumulate, o.d_bias[c]);
    });
    for_each(o.rows, o.cols, [&](std::int64_t row) {
      const std::int64_t at = row * o.cols;
      const float mean = mean_of(row);
      const float inverse = o.inverse[row];
      float sum_g = 0;
      float sum_ng = 0;
      for (std::int64_t c = 0; c < o.cols; ++c) {
        const float g = widen(o.gain[c]) * widen(o.d_out[at + c]);
        sum_g += g;
        sum_ng += g * (widen(o.z[at + c]) - mean) * inverse;
      }
      if (o.kind == Norm::rms) sum_g = 0;
      for (std::int64_t c = 0; c < o.cols; ++c) {
        const float n = (widen(o.z[at + c]) - mean) * inverse;
        const float g = widen(o.gain[c]) * widen(o.d_out[at + c]);
        const float d = inverse * (g - (sum_g + n * sum_ng) / count);
        o.d_x[at + c] = narrow(o.d_residual == nullptr ? d : d + widen(o.d_residual[at + c]));
      }
      raise_amax(o.amax, o.d_x + at, o.cols);
    });
  }

  void run(const Rope& o) override {
    const std::int64_t half = o.shape.head_size / 2;
    const std::int64_t heads = o.shape.heads + o.shape.kv_heads;
    for_each(o.shape.rows(), heads * o.shape.head_size, [&](std::int64_t row) {
      const float* angles = o.table + row % o.shape.sequence * half * 2;
      for (std::int64_t head = 0; head < heads; ++head) {
        Bf16* x = o.qkv + row * o.shape.qkv_cols() + head * o.shape.head_size;
        for (std::int64_t i = 0; i < half; ++i) {
          const float cosine = angles[2 * i];
          const float sine = o.inverse ? -angles[2 * i + 1] : angles[2 * i + 1];
          const float a = widen(x[i]);
          const float b = widen(x[i + half]);
          x[i] = narrow(a * cosine - b * sine);
          x[i + half] = narrow(b * cosine + a * sine);
        }
      }
      raise_amax(o.amax, o.qkv + row * o.shape.qkv_cols(), o.shape.qkv_cols());
    });
  }

  void run(const AttentionForward& o) override;
  void run(const AttentionBackward& o) override;

  void run(const SwigluForward& o) override {
    for_each(o.rows, o.width, [&](std::int64_t row) {
      const Bf16* gate = o.gate_up + row * 2 * o.width;
      const Bf16* up = gate + o.width;
      for (std::int64_t c = 0; c < o.width; ++c) {
        const float g = widen(gate[c]);
        o.out[row * o.width + c] = narrow(g / (1 + std::exp(-g)) * widen(up[c]));
      }
      raise_amax(o.amax, o.out + row * o.width, o.width);
    });
  }

  void run(const SwigluBackward& o) override {
    for_each(o.rows, o.width, [&](std::int64_t row) {
      const std::int64_t at = row * 2 * o.width;
      for (std::int64_t c = 0; c < o.width; ++c) {
        const float g = widen(o.gate_up[at + c]);
        const float up = widen(o.gate_up[at + o.width + c]);
        const float d = widen(o.d_out[row * o.width + c]);
        const float sigmoid = 1 / (1 + std::exp(-g));
        o.d_gate_up[at + c] = narrow(d * up * sigmoid * (1 + g * (1 - sigmoid)));
        o.d_gate_up[at + o.width + c] = narrow(d * g * sigmoid);
      }
      raise_amax(o.amax, o.d_gate_up + at, 2 * o.width);
    });
  }

  void run(const GeluForward& o) override {
    for_pieces(o.rows * o.width, 1, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        const float x = widen(o.x[i]);
        const float t = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
        o.out[i] = narrow(0.5f * x * (1 + t));
      }
      raise_amax(o.amax, o.out + first, end - first);
    });
  }

  void run(const GeluBackward& o) override {
    for_pieces(o.rows * o.width, 1, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        const float x = widen(o.x[i]);
        const float t = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
        const float slope = kGeluScale * (1 + 3 * kGeluCubic * x * x);
        o.d_x[i] = narrow(widen(o.d_out[i]) * 0.5f * (1 + t + x * (1 - t * t) * slope));
      }
      raise_amax(o.amax, o.d_x + first, end - first);
    });
  }

  void run(const BiasForward& o) override {
    for_each(o.rows, o.cols, [&](std::int64_t row) {
      Bf16* x = o.x + row * o.cols;
      for (std::int64_t c = 0; c < o.cols; ++c) x[c] = narrow(widen(x[c]) + widen(o.bias[c]));
    });
  }

  void run(const BiasBackward& o) override {
    for_each(o.cols, o.rows, [&](std::int64_t c) {
      float sum = 0;
      for (std::int64_t row = 0; row < o.rows; ++row) sum += widen(o.d_out[row * o.cols + c]);
      store(sum, o.accumulate, o.d_bias[c]);
    });
    if (o.amax == nullptr) return;
    for_each(o.rows, o.cols,
             [&](std::int64_t row) { raise_amax(o.amax, o.d_out + row * o.cols, o.cols); });
  }

  void run(const CrossEntropy& o) override {
    for_each(o.rows, o.cols, [&](std::int64_t row) {
      Bf16* logits = o.logits + row * o.cols;
      float largest = widen(logits[0]);
      for (std::int64_t c = 1; c < o.vocabulary; ++c) largest = std::max(largest, widen(logits[c]));
      float sum = 0;
      for (std::int64_t c = 0; c < o.vocabulary; ++c) sum += std::exp(widen(logits[c]) - largest);
      const std::int32_t target = o.targets[row];
      o.losses[row] = std::log(sum) + largest - widen(logits[target]);
      if (o.gradient_scale == 0) return;
      for (std::int64_t c = 0; c < o.vocabulary; ++c) {
        const float probability = std::exp(widen(logits[c]) - largest) / sum;
        logits[c] = narrow((probability - (c == target ? 1.0f : 0.0f)) * o.gradient_scale);
      }
      std::fill(logits + o.vocabulary, logits + o.cols, Bf16{});
    });
  }

  void run(const Sum& o) override {
    const std::int64_t piece = ceil_div(std::max<std::int64_t>(o.count, 1), Sum::kPartials);
    for_each(Sum::kPartials, piece, [&](std::int64_t p) {
      float sum = 0;
      for (std::int64_t i = p * piece; i < std::min(o.count, (p + 1) * piece); ++i) {
        sum += o.squares ? o.x[i] * o.x[i] : o.x[i];
      }
      o.partials[p] = sum;
    });
    float sum = 0;
    for (std::int64_t p = 0; p < Sum::kPartials; ++p) sum += o.partials[p];
    *o.out = sum;
  }

  void run(const AdamW& o) override {
    const float norm = std::sqrt(*o.squared_norm);
    const float scale = o.max_norm > 0 && norm > o.max_norm ? o.max_norm / norm : 1.0f;
    const AdamWStep& step = *o.step;
    for_each(o.count, 1, [&](std::int64_t i) {
      const float g = o.gradient[i] * scale;
      const float m = o.beta1 * o.first_moment[i] + (1 - o.beta1) * g;
      const float v = o.beta2 * o.second_moment[i] + (1 - o.beta2) * g * g;
      const float decay = i < o.decayed ? o.weight_decay * o.master[i] : 0.0f;
      const float direction = m * step.correction1 / (std::sqrt(v * step.correction2) + o.epsilon);
      const float master = o.master[i] - step.learning_rate * (direction + decay);
      o.first_moment[i] = m;
      o.second_moment[i] = v;
      o.master[i] = master;
      o.weights[i] = narrow(master);
    });
  }

  // ---- Replicas ----

  void run(const CopyWeights& o) override { std::copy_n(o.from, o.count, o.to); }

  void run(const ScaleWeights& o) override {
    for_each(o.count, 1, [&](std::int64_t i) { o.weights[i] *= o.scale; });
  }

  void run(const ElasticStep& o) override {
    for_each(o.count, 1, [&](std::int64_t i) {
      o.master[i] += o.elasticity * (o.scale * o.target[i] - o.copy[i]);
      o.weights[i] = narrow(o.master[i]);
    });
  }

  void run(const CenterStep& o) override {
    for_each(o.count, 1, [&](std::int64_t i) {
      o.moved[i] = o.center[i] + o.elasticity * (o.copy[i] - o.center[i]);
    });
  }

  void run(const BlockUpdate& o) override {
    for_each(o.count, 1, [&](std::int64_t i) {
      o.velocity[i] = o.momentum * o.velocity[i] + o.rate * (o.scale * o.sum[i] - o.global[i]);
      o.global[i] += o.velocity[i];
      o.sum[i] = o.global[i];
    });
  }
};

// The rows of one head in FP32; columns first, so that loops over rows are contiguous.
class HeadMatrix {
 public:
  HeadMatrix(const Bf16* first, std::int64_t rows, std::int64_t stride, std::int64_t size)
      : rows_(static_cast<std::size_t>(rows)), values_(static_cast<std::size_t>(rows * size)) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t d = 0; d < size; ++d) {
        values_[static_cast<std::size_t>(d * rows + row)] = widen(first[row * stride + d]);
      }
    }
  }
  const float* column(std::int64_t d) const {
    return values_.data() + static_cast<std::size_t>(d) * rows_;
  }

 private:
  std::size_t rows_;
  std::vector<float> values_;
};

// out[j] = sum over d of x[d] * matrix[j][d], for the rows j < count.
void multiply(const Bf16* x, const HeadMatrix& matrix, std::int64_t size, std::int64_t count,
              float* out) {
  std::fill(out, out + count, 0.0f);
  for (std::int64_t d = 0; d < size; ++d) {
    const float value = widen(x[d]);
    const float* column = matrix.column(d);
    for (std::int64_t j = 0; j < count; ++j) out[j] += value * column[j];
  }
}

void CpuOperations::run(const AttentionForward& o) {
  const AttentionShape& s = o.shape;
  const std::int64_t stride = s.qkv_cols();
  const std::int64_t group = s.heads / s.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(s.head_size));
  parallel_for(s.batch * s.heads, [&](std::int64_t task) {
    const std::int64_t batch = task / s.heads;
    const std::int64_t head = task % s.heads;
    const Bf16* q = o.qkv + batch * s.sequence * stride + head * s.head_size;
    const Bf16* k = o.qkv + batch * s.sequence * stride + (s.heads + head / group) * s.head_size;
    const Bf16* v = k + s.kv_heads * s.head_size;
    const HeadMatrix keys(k, s.sequence, stride, s.head_size);
    std::vector<float> p(static_cast<std::size_t>(s.sequence));
    std::vector<float> out(static_cast<std::size_t>(s.head_size));
    for (std::int64_t i = 0; i < s.sequence; ++i) {
      multiply(q + i * stride, keys, s.head_size, i + 1, p.data());
      const auto end = p.begin() + static_cast<std::ptrdiff_t>(i + 1);
      const float largest = scale * *std::max_element(p.begin(), end);
      float sum = 0;
      for (auto it = p.begin(); it != end; ++it) sum += * it = std::exp(scale * *it - largest);
      std::fill(out.begin(), out.end(), 0.0f);
      for (std::int64_t j = 0; j <= i; ++j) {
        const float weight = p[static_cast<std::size_t>(j)];
        for (std::int64_t d = 0; d < s.head_size; ++d) {
          out[static_cast<std::size_t>(d)] += weight * widen(v[j * stride + d]);
        }
      }
      Bf16* to = o.out + (batch * s.sequence + i) * s.out_cols() + head * s.head_size;
      for (std::int64_t d = 0; d < s.head_size; ++d) {
        to[d] = narrow(out[static_cast<std::size_t>(d)] / sum);
      }
      raise_amax(o.amax, to, s.head_size);
      o.stats[task * s.sequence + i] = largest + std::log(sum);
    }
  });
}

// With P = softmax(S) and D = sum(d_out * out) of a row: dV = P^T d_out, dS = P * (d_out V^T - D),
// dQ = scale * dS K, dK = scale * dS^T Q. A task owns a head of K and V, and the heads of Q that
// share it.
void CpuOperations::run(const AttentionBackward& o) {
  const AttentionShape& s = o.shape;
  const std::int64_t stride = s.qkv_cols();
  const std::int64_t group = s.heads / s.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(s.head_size));
  const auto size = static_cast<std::size_t>(s.sequence * s.head_size);
  parallel_for(s.batch * s.kv_heads, [&](std::int64_t task) {
    const std::int64_t batch = task / s.kv_heads;
    const std::int64_t kv_head = task % s.kv_heads;
    const std::int64_t first_row = batch * s.sequence;
    const std::int64_t k_col = (s.heads + kv_head) * s.head_size;
    const std::int64_t v_col = k_col + s.kv_heads * s.head_size;
    const Bf16* k = o.qkv + first_row * stride + k_col;
    const HeadMatrix keys(k, s.sequence, stride, s.head_size);
    const HeadMatrix values(o.qkv + first_row * stride + v_col, s.sequence, stride, s.head_size);
    std::vector<float> d_k(size), d_v(size), p(static_cast<std::size_t>(s.sequence)), d_p(p);
    std::vector<float> d_q(static_cast<std::size_t>(s.head_size));
    for (std::int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
      for (std::int64_t i = 0; i < s.sequence; ++i) {
        const Bf16* q = o.qkv + (first_row + i) * stride + head * s.head_size;
        const std::int64_t out_at = (first_row + i) * s.out_cols() + head * s.head_size;
        const Bf16* d_out = o.d_out + out_at;
        float dot = 0;
        for (std::int64_t d = 0; d < s.head_size; ++d) {
          dot += widen(d_out[d]) * widen(o.out[out_at + d]);
        }
        multiply(q, keys, s.head_size, i + 1, p.data());
        multiply(d_out, values, s.head_size, i + 1, d_p.data());
        const float log_sum = o.stats[(batch * s.heads + head) * s.sequence + i];
        std::fill(d_q.begin(), d_q.end(), 0.0f);
        for (std::int64_t j = 0; j <= i; ++j) {
          const auto at = static_cast<std::size_t>(j);
          const float probability = std::exp(scale * p[at] - log_sum);
          const float d_score = scale * probability * (d_p[at] - dot);
          float* to_k = d_k.data() + j * s.head_size;
          float* to_v = d_v.data() + j * s.head_size;
          for (std::int64_t d = 0; d < s.head_size; ++d) {
            to_v[d] += probability * widen(d_out[d]);
            to_k[d] += d_score * widen(q[d]);
            d_q[static_cast<std::size_t>(d)] += d_score * widen(k[j * stride + d]);
          }
        }
        Bf16* to = o.d_qkv + (first_row + i) * stride + head * s.head_size;
        for (std::int64_t d = 0; d < s.head_size; ++d) {
          to[d] = narrow(d_q[static_cast<std::size_t>(d)]);
        }
      }
    }
    for (std::int64_t j = 0; j < s.sequence; ++j) {
      Bf16* to = o.d_qkv + (first_row + j) * stride;
      for (std::int64_t d = 0; d < s.head_size; ++d) {
        const auto at = static_cast<std::size_t>(j * s.head_size + d);
        to[k_col + d] = narrow(d_k[at]);
        to[v_col + d] = narrow(d_v[at]);
      }
    }
  });
}

}  // namespace

std::unique_ptr<Operations> make_cpu_operations() { return std::make_unique<CpuOperations>(); }

}  // namespace mansard::kernels
