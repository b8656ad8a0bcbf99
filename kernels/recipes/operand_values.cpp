// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/operand_values.h"

#include <stdexcept>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"

namespace mansard::kernels {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

template <typename T>
std::vector<T> read(Backend& backend, const T* source, std::int64_t width, std::int64_t count = 1,
                    std::int64_t pitch = 0) {
  constexpr std::int64_t kBytes = sizeof(T);
  std::vector<T> values(size(width * count));
  backend.read(values.data(), source, kBytes * width, count, kBytes * pitch);
  return values;
}

std::vector<double> read_bf16(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                              std::int64_t row, Backend& backend) {
  const auto* data = static_cast<const Bf16*>(operand.data);
  const std::vector<Bf16> elements = operand.reduction == ReductionAxis::inner
                                         ? read(backend, data + row * k, k)
                                         : read(backend, data + row, 1, k, rows);
  std::vector<double> values;
  for (const Bf16 element : elements) values.push_back(double{bf16::to_float(element)});
  return values;
}

std::vector<double> read_codes(const GemmOperand& operand, std::int64_t k, std::int64_t row,
                               Backend& backend) {
  const auto* data = static_cast<const std::uint8_t*>(operand.data);
  std::vector<double> values;
  if (operand.format == Precision::nvfp4) {
    const std::int64_t row_bytes = nvfp4::code_bytes({1, k});
    for (const std::uint8_t pair : read(backend, data + row * row_bytes, row_bytes)) {
      values.push_back(double{kE2m1Values[pair & 0xfu]});
      values.push_back(double{kE2m1Values[pair >> 4]});
    }
    values.resize(size(k));
    return values;
  }
  const auto format = operand.format == Precision::fp8_e4m3 ? fp8::Format::e4m3 : fp8::Format::e5m2;
  for (const std::uint8_t code : read(backend, data + row * k, k)) {
    values.push_back(double{fp8::decode(format, code)});
  }
  return values;
}

// The scale factors of the blocks of a row.
std::vector<double> read_factors(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                                 std::int64_t row, int block, Backend& backend) {
  const std::int64_t blocks = ceil_div(k, block);
  std::vector<double> factors;
  if (operand.scaling == Scaling::block_1x128 || operand.scaling == Scaling::block_128x128) {
    const auto* scales = static_cast<const float*>(operand.scales);
    const bool vectors = operand.scaling == Scaling::block_1x128;
    const std::vector<float> read_scales =
        vectors ? read(backend, scales + row, 1, blocks, fp8::scale_stride(rows))
                : read(backend, scales + row / block * fp8::scale_stride(blocks), blocks);
    factors.assign(read_scales.begin(), read_scales.end());
    return factors;
  }
  // Four blocks of a row are adjacent in each tile of 512 bytes.
  const auto* scales = static_cast<const std::uint8_t*>(operand.scales);
  const std::int64_t first = scale_index(ScaleLayout::tiled, blocks, row, 0);
  for (const std::uint8_t scale : read(backend, scales + first, 4, ceil_div(blocks, 4), 512)) {
    factors.push_back(operand.scaling == Scaling::mx_1x32
                          ? double{fp8::from_e8m0(scale)}
                          : double{fp8::decode(fp8::Format::e4m3, scale)});
  }
  return factors;
}

int block_of(Scaling scaling) {
  switch (scaling) {
    case Scaling::block_1x128:
    case Scaling::block_128x128:
      return fp8::kBlock;
    case Scaling::mx_1x32:
      return fp8::kMxBlock;
    case Scaling::nv_1x16:
      return 16;
    default:
      return 0;
  }
}

}  // namespace

std::vector<double> read_operand_row(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                                     std::int64_t row, Backend& backend) {
  if (!operand.is_quantized()) return read_bf16(operand, rows, k, row, backend);
  if (operand.reduction != ReductionAxis::inner) {
    throw std::logic_error("a quantized operand must have its reduction axis innermost");
  }
  std::vector<double> values = read_codes(operand, k, row, backend);
  const int block = block_of(operand.scaling);
  if (block == 0) return values;
  const std::vector<double> factors = read_factors(operand, rows, k, row, block, backend);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i / size(block)];
  return values;
}

float read_gemm_factor(const GemmProblem& p, Backend& backend) {
  float factor = 1.0f;
  const auto apply = [&](const float* part) { factor *= read(backend, part, 1).front(); };
  for (const GemmOperand* operand : {&p.a, &p.b}) {
    if (operand->scaling == Scaling::tensor) apply(static_cast<const float*>(operand->scales));
  }
  if (p.alpha != nullptr) apply(p.alpha);
  return factor;
}

}  // namespace mansard::kernels
