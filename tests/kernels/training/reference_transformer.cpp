// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/training/reference_transformer.h"

#include <cmath>

#include "tests/kernels/training/check_values.h"

namespace mansard::kernels {
namespace {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

struct Reference {
  const TransformerModel& model;
  const std::vector<double>& values;
  bool llama = model.architecture == Architecture::llama;

  const double* of(const Parameter& p) const { return values.data() + p.offset; }

  // x W^T + bias for each row; `bias` may have no name.
  Matrix linear(const Matrix& x, const Parameter& weight, std::int64_t out, const Parameter& bias) {
    const double* w = of(weight);
    Matrix y;
    for (const Row& row : x) {
      Row& result = y.emplace_back(at(out));
      for (std::int64_t o = 0; o < out; ++o) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          result[at(o)] += row[i] * w[at(o) * row.size() + i];
        }
        if (!bias.name.empty()) result[at(o)] += of(bias)[o];
      }
    }
    return y;
  }

  Matrix norm(const Matrix& x, const Parameter& gain, const Parameter& bias) {
    Matrix y = x;
    for (Row& row : y) {
      double mean = 0;
      for (const double v : row) mean += v / static_cast<double>(row.size());
      if (llama) mean = 0;
      double variance = 0;
      for (const double v : row)
        variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * of(gain)[i];
        if (!llama) row[i] += of(bias)[i];
      }
    }
    return y;
  }

  void rotate(double* head, std::int64_t position) {
    const std::int64_t half = model.head_size / 2;
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) /
                           std::pow(500000.0, static_cast<double>(i) / static_cast<double>(half));
      const double a = head[i];
      const double b = head[i + half];
      head[i] = a * std::cos(angle) - b * std::sin(angle);
      head[i + half] = b * std::cos(angle) + a * std::sin(angle);
    }
  }

  Matrix attention(Matrix qkv, std::int64_t sequence) {
    const std::int64_t size = model.head_size;
    Matrix out(qkv.size(), Row(at(model.q_features())));
    for (std::size_t row = 0; llama && row < qkv.size(); ++row) {
      for (std::int64_t head = 0; head < model.heads + model.kv_heads; ++head) {
        rotate(qkv[row].data() + head * size, static_cast<std::int64_t>(row) % sequence);
      }
    }
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(qkv.size()); ++row) {
      const std::int64_t first = row / sequence * sequence;
      for (std::int64_t head = 0; head < model.heads; ++head) {
        const std::int64_t k = (model.heads + head / (model.heads / model.kv_heads)) * size;
        const std::int64_t v = k + model.kv_heads * size;
        Row p;
        double sum = 0;
        for (std::int64_t j = first; j <= row; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < size; ++d) {
            score += qkv[at(row)][at(head * size + d)] * qkv[at(j)][at(k + d)];
          }
          p.push_back(std::exp(score / std::sqrt(static_cast<double>(size))));
          sum += p.back();
        }
        for (std::int64_t j = first; j <= row; ++j) {
          for (std::int64_t d = 0; d < size; ++d) {
            out[at(row)][at(head * size + d)] += p[at(j - first)] / sum * qkv[at(j)][at(v + d)];
          }
        }
      }
    }
    return out;
  }

  Matrix activation(const Matrix& x, std::int64_t ffn) {
    Matrix y;
    for (const Row& row : x) {
      Row& result = y.emplace_back();
      for (std::int64_t i = 0; i < ffn; ++i) {
        const double v = row[at(i)];
        const double u = std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
        result.push_back(llama ? v / (1 + std::exp(-v)) * row[at(ffn + i)]
                               : 0.5 * v * (1 + std::tanh(u)));
      }
    }
    return y;
  }
};

}  // namespace

double reference_loss(const TransformerModel& model, const Parameters& parameters,
                      const std::vector<double>& values, std::int64_t sequence,
                      const std::vector<std::int32_t>& tokens,
                      const std::vector<std::int32_t>& targets) {
  Reference r{model, values};
  const std::int64_t hidden = model.hidden;
  Matrix z;
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    const double* embedding = r.of(parameters.embedding()) + tokens[row] * hidden;
    Row& x = z.emplace_back(embedding, embedding + hidden);
    if (r.llama) continue;
    const double* position =
        r.of(parameters.positions()) + static_cast<std::int64_t>(row) % sequence * hidden;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += position[i];
  }
  for (const PartParameters& p : parameters.parts()) {
    const Matrix x = r.norm(z, p.gain, p.bias);
    std::int64_t in = 0;
    for (const Parameter& q : p.in) in += q.shape.rows;
    Matrix y = r.linear(x, p.in.front(), in, p.in_bias);
    y = p.ffn == 0 ? r.attention(std::move(y), sequence) : r.activation(y, p.ffn);
    y = r.linear(y, p.out, hidden, p.out_bias);
    for (std::size_t row = 0; row < z.size(); ++row) {
      for (std::size_t i = 0; i < z[row].size(); ++i) z[row][i] += y[row][i];
    }
  }
  const Matrix logits = r.linear(r.norm(z, parameters.final_gain(), parameters.final_bias()),
                                 parameters.head(), model.vocabulary, Parameter());
  double loss = 0;
  for (std::size_t row = 0; row < logits.size(); ++row) {
    double sum = 0;
    for (const double logit : logits[row]) sum += std::exp(logit);
    loss += std::log(sum) - logits[row][at(targets[row])];
  }
  return loss / static_cast<double>(tokens.size());
}

}  // namespace mansard::kernels
