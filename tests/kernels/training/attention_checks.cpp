// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/training/check_values.h"
#include "tests/kernels/training/operation_checks.h"

namespace mansard::kernels {
namespace {

// Output and log-sum-exp of attention.
struct AttentionResult {
  Values out, stats;
};
AttentionResult attend(const AttentionShape& s, const Values& qkv) {
  AttentionResult result{Values(at(s.rows() * s.out_cols())), Values(at(s.heads * s.rows()))};
  const double scale = 1 / std::sqrt(static_cast<double>(s.head_size));
  for (std::int64_t batch = 0; batch < s.batch; ++batch) {
    for (std::int64_t head = 0; head < s.heads; ++head) {
      const std::int64_t kv = s.heads + head / (s.heads / s.kv_heads);
      const auto element = [&](std::int64_t row, std::int64_t of_head, std::int64_t d) {
        return qkv[at((batch * s.sequence + row) * s.qkv_cols() + of_head * s.head_size + d)];
      };
      for (std::int64_t i = 0; i < s.sequence; ++i) {
        Values p;
        double sum = 0;
        for (std::int64_t j = 0; j <= i; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < s.head_size; ++d) {
            score += element(i, head, d) * element(j, kv, d);
          }
          p.push_back(std::exp(score * scale));
          sum += p.back();
        }
        result.stats[at((batch * s.heads + head) * s.sequence + i)] = std::log(sum);
        for (std::int64_t d = 0; d < s.head_size; ++d) {
          double& out =
              result.out[at((batch * s.sequence + i) * s.out_cols() + head * s.head_size + d)];
          for (std::int64_t j = 0; j <= i; ++j) {
            out += p[at(j)] / sum * element(j, kv + s.kv_heads, d);
          }
        }
      }
    }
  }
  return result;
}

}  // namespace

void check_attention(Backend& backend, const AttentionShape& s, const OperationOptions& options) {
  SCOPED_TRACE("sequence " + std::to_string(s.sequence) + ", heads " + std::to_string(s.heads) +
               "/" + std::to_string(s.kv_heads) + " of " + std::to_string(s.head_size));
  const auto run = make_operations(backend, options);
  run->prepare_attention(s);
  SCOPED_TRACE(run->attention_name());
  const std::vector<Bf16> qkv = random_values(s.rows() * s.qkv_cols(), 1),
                          d_out = random_values(s.rows() * s.out_cols(), 2);
  const Tensor<Bf16> device_qkv(backend, qkv), out(backend, s.rows() * s.out_cols()),
      device_d_out(backend, d_out), d_qkv(backend, s.rows() * s.qkv_cols());
  const Tensor<float> stats(backend, s.rows() * s.heads);
  const Tensor<float> scratch(backend, run->attention_scratch_bytes(s) / 4 + 1);
  const Tensor<float> amax(backend, std::vector<float>{0.0f});
  AttentionForward forward{s, device_qkv.get(), out.get(), stats.get()};
  if (run->attention_finds_amax()) forward.amax = amax.get();
  (*run)(forward);
  if (run->attention_finds_amax()) expect_amax(backend, amax, out, "attention");
  const AttentionResult expected = attend(s, wide(qkv));
  expect_near(out.values(), expected.out, "attention", 0x1p-6);
  expect_near(stats.values(), expected.stats, "log-sum-exp", 1e-4);

  (*run)(AttentionBackward{s, device_qkv.get(), out.get(), stats.get(), device_d_out.get(),
                           d_qkv.get(), scratch.get()});
  const Values weight = wide(d_out);
  // The cost of a difference grows with the square of the sequence.
  std::vector<std::size_t> sample;
  for (std::size_t i = 0; i < at(std::clamp<std::int64_t>(4000 / s.sequence, 16, 200)); ++i) {
    sample.push_back(static_cast<std::size_t>(splitmix64(i)) % qkv.size());
  }
  const Values gradient = numeric_gradient(
      [&](const Values& v) { return dot(attend(s, v).out, weight); }, wide(qkv), sample);
  const Values actual = d_qkv.values();
  expect_near(pick(actual, sample), gradient, "gradient of attention", 0x1p-5);
  for (const double x : actual) ASSERT_TRUE(std::isfinite(x));
}

}  // namespace mansard::kernels
