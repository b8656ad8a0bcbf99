// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/operation_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "kernels/annotation/attention_work.h"
#include "kernels/annotation/gemm_work.h"

namespace mansard::kernels {
namespace {

using Arguments = std::span<const OperationArgument>;
using Work = std::optional<WorkAnnotation>;

constexpr double kMaxElements = 1e15;                 // larger sizes are damaged
constexpr std::string_view kUnknownType = "unknown";  // a tensor whose bytes are unknown

struct Tensor {
  std::span<const std::int64_t> sizes;
  ElementTypeInfo type;

  std::size_t rank() const { return sizes.size(); }
  double elements() const {
    double product = 1;
    for (const std::int64_t size : sizes) product *= static_cast<double>(size);
    return product;
  }
  double bytes() const { return elements() * type.bytes; }
};

std::optional<Tensor> tensor(Arguments arguments, std::size_t index) {
  if (index >= arguments.size()) return std::nullopt;
  const std::optional<ElementTypeInfo> type = arguments[index].type == kUnknownType
                                                  ? ElementTypeInfo{}
                                                  : find_element_type(arguments[index].type);
  if (!type) return std::nullopt;
  const Tensor found{arguments[index].sizes, *type};
  const bool valid = std::ranges::all_of(found.sizes, [](std::int64_t size) { return size >= 0; });
  return valid && found.elements() < kMaxElements ? std::optional(found) : std::nullopt;
}

std::string_view value(Arguments arguments, std::size_t index) {
  return index < arguments.size() ? std::string_view(arguments[index].value) : std::string_view();
}

bool is_true(Arguments arguments, std::size_t index) {
  return value(arguments, index) == "True" || value(arguments, index) == "true";
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// "[1, 1]". Empty if it was not recorded.
std::vector<std::int64_t> integer_list(std::string_view text) {
  std::vector<std::int64_t> numbers;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return numbers;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::optional<std::int64_t> number = integer(text.substr(0, comma));
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return numbers;
}

// ---- Matrix products ---------------------------------------------------------------------------

// `first`: index of A; B follows. `batched`: the first dimension counts GEMMs. C is argument 0 if
// A is not.
Work matrix_product(std::string_view name, Arguments arguments, std::size_t first, bool batched) {
  const std::optional<Tensor> a = tensor(arguments, first);
  const std::optional<Tensor> b = tensor(arguments, first + 1);
  const std::size_t rank = batched ? 3 : 2;
  if (!a || !b || a->rank() != rank || b->rank() != rank) return std::nullopt;
  const std::size_t row = rank - 2;
  if (a->sizes[row + 1] != b->sizes[row]) return std::nullopt;
  if (batched && a->sizes[0] != b->sizes[0]) return std::nullopt;
  Gemm gemm;
  gemm.m = a->sizes[row];
  gemm.k = a->sizes[row + 1];
  gemm.n = b->sizes[row + 1];
  gemm.batch = batched ? a->sizes[0] : 1;
  gemm.a_bytes = a->type.bytes;
  gemm.b_bytes = b->type.bytes;
  gemm.d_bytes = a->type.bytes;
  gemm.precision = a->type.precision;
  if (gemm.precision == Precision::int8) gemm.d_bytes = 4;
  const std::optional<Tensor> c = first > 0 ? tensor(arguments, 0) : std::nullopt;
  Work work = gemm_work(name, gemm);
  if (work && c) work->bytes[MemoryLevel::hbm] += c->bytes();  // a bias is smaller than D
  return work;
}

// aten::_scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, ...). FP4 values
// are packed in pairs along K.
Work scaled_product(std::string_view name, Arguments arguments) {
  const std::optional<Tensor> a = tensor(arguments, 0);
  const std::optional<Tensor> b = tensor(arguments, 1);
  if (!a || !b || a->rank() != 2 || b->rank() != 2 || a->sizes[1] != b->sizes[0]) {
    return std::nullopt;
  }
  Gemm gemm;
  gemm.m = a->sizes[0];
  gemm.k = a->sizes[1] * a->type.packed;
  gemm.n = b->sizes[1];
  gemm.precision = a->type.precision;
  const std::string_view scale = arguments.size() > 2 ? arguments[2].type : std::string_view();
  const bool e8m0 = scale.ends_with("Float8_e8m0fnu");
  if (e8m0) gemm.precision = a->type.packed == 2 ? Precision::mxfp4 : Precision::mxfp8;
  const double values = a->type.packed;
  gemm.a_bytes = a->type.bytes / values;
  gemm.b_bytes = b->type.bytes / values;
  if (gemm.precision && info(*gemm.precision).scale_block > 0) {
    gemm.a_bytes = gemm.b_bytes = bytes_per_element(*gemm.precision);
  }
  // ScalarType codes of c10: 5 Half, 6 Float, 15 BFloat16, the default of the training recipes.
  gemm.d_bytes = value(arguments, 6) == "6" ? 4 : 2;
  return gemm_work(name, gemm);
}

// ---- Convolutions ------------------------------------------------------------------------------

WorkAnnotation convolution_work(std::string_view name, double flop, double bytes,
                                const ElementTypeInfo& type) {
  return modeled_work(name, "convolution", flop, bytes, type.precision);
}

// FLOPs of a convolution whose output has `output` elements: each is a sum over the weights of one
// output channel.
double convolution_flop(const Tensor& weight, double output) {
  return 2 * output * weight.elements() /
         static_cast<double>(std::max<std::int64_t>(weight.sizes[0], 1));
}

// aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
// groups): input N C spatial, weight O C/groups spatial.
Work convolution(std::string_view name, Arguments arguments) {
  const std::optional<Tensor> input = tensor(arguments, 0);
  const std::optional<Tensor> weight = tensor(arguments, 1);
  if (!input || !weight || input->rank() < 3 || input->rank() != weight->rank()) {
    return std::nullopt;
  }
  if (is_true(arguments, 6)) {  // transposed: each input element meets the weights of its channel
    const double flop = convolution_flop(*weight, input->elements());
    return convolution_work(name, flop, input->bytes() + weight->bytes(), input->type);
  }
  const std::vector<std::int64_t> stride = integer_list(value(arguments, 3));
  const std::vector<std::int64_t> padding = integer_list(value(arguments, 4));
  const std::vector<std::int64_t> dilation = integer_list(value(arguments, 5));
  // A single value holds for all dimensions.
  const auto at = [](const std::vector<std::int64_t>& values, std::size_t i) {
    return values.size() == 1 ? values[0] : values[i];
  };
  const std::size_t dimensions = input->rank() - 2;
  for (const auto* values : {&stride, &padding, &dilation}) {
    if (values->size() != dimensions && values->size() != 1) return std::nullopt;
  }
  double output = static_cast<double>(input->sizes[0]) * static_cast<double>(weight->sizes[0]);
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (at(stride, i) < 1) return std::nullopt;
    const std::int64_t extent =
        input->sizes[i + 2] + 2 * at(padding, i) - at(dilation, i) * (weight->sizes[i + 2] - 1) - 1;
    if (extent < 0) return std::nullopt;
    output *= static_cast<double>(extent / at(stride, i) + 1);
  }
  const double bytes = input->bytes() + weight->bytes() + output * input->type.bytes;
  return convolution_work(name, convolution_flop(*weight, output), bytes, input->type);
}

// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
// transposed, output_padding, groups, output_mask): dgrad and wgrad, each with the FLOPs of the
// forward convolution, unless the mask ("[True, True, False]") omits one.
Work convolution_backward(std::string_view name, Arguments arguments) {
  const std::optional<Tensor> gradient = tensor(arguments, 0);
  const std::optional<Tensor> input = tensor(arguments, 1);
  const std::optional<Tensor> weight = tensor(arguments, 2);
  if (!gradient || !input || !weight || weight->rank() < 3) return std::nullopt;
  const std::string_view mask = value(arguments, 10);
  const std::size_t comma = std::min(mask.find(','), mask.size());
  const auto omits = [](std::string_view entry) {
    return entry.find("alse") != std::string_view::npos;
  };
  const std::string_view rest = mask.substr(std::min(comma + 1, mask.size()));
  const bool dgrad = !omits(mask.substr(0, comma));
  const bool wgrad = !omits(rest.substr(0, rest.find(',')));
  const double forward =
      convolution_flop(*weight, is_true(arguments, 7) ? input->elements() : gradient->elements());
  double bytes = 0;
  if (dgrad) bytes += gradient->bytes() + weight->bytes() + input->bytes();
  if (wgrad) bytes += gradient->bytes() + input->bytes() + weight->bytes();
  return convolution_work(name, forward * ((dgrad ? 1 : 0) + (wgrad ? 1 : 0)), bytes, input->type);
}

// ---- Attention ---------------------------------------------------------------------------------

// The schemas of attention operations: indices of Q (K and V follow), of the flag for a causal mask
// and of the tensor that is added to the scores. `heads_second`: Q is batch x heads x length x
// size; otherwise length precedes heads.
constexpr std::size_t kNone = 99;
struct AttentionSchema {
  std::string_view name;
  bool backward;
  std::size_t query;
  std::size_t causal;
  std::size_t mask;
  bool heads_second;
};
constexpr std::array kAttention = {
    AttentionSchema{"aten::_scaled_dot_product_flash_attention", false, 0, 4, kNone, true},
    AttentionSchema{"aten::_scaled_dot_product_efficient_attention", false, 0, 6, 3, true},
    AttentionSchema{"aten::_scaled_dot_product_cudnn_attention", false, 0, 6, 3, true},
    AttentionSchema{"aten::_scaled_dot_product_flash_attention_backward", true, 1, 11, kNone, true},
    AttentionSchema{"aten::_scaled_dot_product_efficient_attention_backward", true, 1, 11, 4, true},
    AttentionSchema{"aten::_scaled_dot_product_cudnn_attention_backward", true, 1, 14, 8, true},
    AttentionSchema{"flash_attn::_flash_attn_forward", false, 0, 5, kNone, false},
    AttentionSchema{"flash_attn::_flash_attn_backward", true, 1, 11, kNone, false},
};

AttentionMask mask_of(const AttentionSchema& schema, Arguments arguments) {
  if (is_true(arguments, schema.causal)) return AttentionMask::causal;
  // Without the flag, half of the pairs may be masked.
  if (value(arguments, schema.causal) != "False") return AttentionMask::unknown;
  const bool has_tensor = schema.mask < arguments.size() && !arguments[schema.mask].sizes.empty();
  return has_tensor ? AttentionMask::tensor : AttentionMask::none;
}

Work attention(const AttentionSchema& schema, Arguments arguments) {
  const std::optional<Tensor> q = tensor(arguments, schema.query);
  const std::optional<Tensor> k = tensor(arguments, schema.query + 1);
  const std::optional<Tensor> v = tensor(arguments, schema.query + 2);
  if (!q || !k || !v || q->rank() != 4 || k->rank() != 4 || v->rank() != 4) return std::nullopt;
  const std::size_t length = schema.heads_second ? 2 : 1;
  Attention call;
  call.batch = q->sizes[0];
  call.heads = q->sizes[schema.heads_second ? 1 : 2];
  call.queries = q->sizes[length];
  call.keys = k->sizes[length];
  call.qk_size = q->sizes[3];
  call.v_size = v->sizes[3];
  call.mask = mask_of(schema, arguments);
  call.backward = schema.backward;
  call.precision = q->type.precision;
  // The output is like Q, with V's size of a head.
  const double output = q->bytes() / static_cast<double>(std::max<std::int64_t>(call.qk_size, 1)) *
                        static_cast<double>(call.v_size);
  const double inputs = q->bytes() + k->bytes() + v->bytes();
  call.bytes = schema.backward ? 2 * inputs + 2 * output : inputs + output;
  const auto mask =
      call.mask == AttentionMask::tensor ? tensor(arguments, schema.mask) : std::nullopt;
  // Its other dimensions may be expanded: then they take no memory.
  if (mask) call.bytes += static_cast<double>(call.queries * call.keys) * mask->type.bytes;
  return attention_work(schema.name, call);
}

// ---- Operations that are limited by memory -----------------------------------------------------

enum class Traffic {
  map,         // reads all tensors, writes one of their broadcast shape and the first one's type
  compare,     // likewise, but writes one byte per element
  in_place,    // reads all tensors, writes the first
  copy,        // reads the second tensor, writes the first
  write,       // writes the first tensor
  read,        // reads all tensors; what it writes is small, or of unknown size
  map_first,   // reads all tensors, writes one of the first one's shape
  gather_row,  // reads the rows of argument 0 that argument 1 selects, and writes them
};

const std::unordered_map<std::string_view, Traffic>& traffic_of_operations() {
  using enum Traffic;
  static const std::unordered_map<std::string_view, Traffic> operations = [] {
    std::unordered_map<std::string_view, Traffic> all;
    const auto put = [&all](Traffic traffic, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) all.emplace(name, traffic);
    };
    put(map, {"add",         "sub",         "rsub",       "mul",         "div",        "pow",
              "exp",         "exp2",        "log",        "log2",        "log1p",      "sqrt",
              "rsqrt",       "sin",         "cos",        "tanh",        "sigmoid",    "relu",
              "gelu",        "silu",        "mish",       "elu",         "leaky_relu", "hardtanh",
              "hardswish",   "softplus",    "neg",        "abs",         "sign",       "erf",
              "reciprocal",  "floor",       "ceil",       "round",       "clamp",      "clamp_min",
              "clamp_max",   "maximum",     "minimum",    "lerp",        "addcmul",    "addcdiv",
              "masked_fill", "bitwise_and", "bitwise_or", "bitwise_not", "remainder",  "fmod",
              "tril",        "triu",        "flip",       "roll",        "nan_to_num", "atan2",
              "glu"});
    put(compare, {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not",
                  "isnan", "isinf", "isfinite"});
    put(in_place,
        {"add_",        "sub_",      "mul_",     "div_",         "pow_",        "exp_",
         "log_",        "sqrt_",     "rsqrt_",   "tanh_",        "sigmoid_",    "relu_",
         "silu_",       "gelu_",     "neg_",     "clamp_",       "clamp_min_",  "clamp_max_",
         "lerp_",       "addcmul_",  "addcdiv_", "masked_fill_", "reciprocal_", "bernoulli_",
         "leaky_relu_", "hardtanh_", "elu_"});
    put(copy, {"copy_"});
    put(write, {"zero_", "fill_", "normal_", "uniform_", "random_"});
    put(read, {"sum",
               "mean",
               "amax",
               "amin",
               "max",
               "min",
               "argmax",
               "argmin",
               "norm",
               "linalg_vector_norm",
               "var",
               "std",
               "var_mean",
               "any",
               "all",
               "embedding_dense_backward",
               "nll_loss_forward",
               "logsumexp",
               "prod",
               "count_nonzero"});
    put(map_first, {"cumsum",
                    "_softmax",
                    "_log_softmax",
                    "native_layer_norm",
                    "_fused_rms_norm",
                    "native_batch_norm",
                    "cudnn_batch_norm",
                    "miopen_batch_norm",
                    "native_group_norm",
                    "native_dropout",
                    "native_dropout_backward",
                    "_softmax_backward_data",
                    "_log_softmax_backward_data",
                    "gelu_backward",
                    "silu_backward",
                    "tanh_backward",
                    "sigmoid_backward",
                    "threshold_backward",
                    "hardtanh_backward",
                    "elu_backward",
                    "leaky_relu_backward",
                    "native_layer_norm_backward",
                    "_fused_rms_norm_backward",
                    "native_group_norm_backward"});
    put(gather_row, {"embedding"});
    return all;
  }();
  return operations;
}

// Product of the tensors' broadcast sizes.
double broadcast_elements(std::span<const Tensor> tensors) {
  std::size_t rank = 0;
  for (const Tensor& of : tensors) rank = std::max(rank, of.rank());
  double product = 1;
  for (std::size_t back = 1; back <= rank; ++back) {
    std::int64_t size = 1;
    for (const Tensor& of : tensors) {
      if (back > of.rank()) continue;
      const std::int64_t own = of.sizes[of.rank() - back];
      if (own != 1) size = own;
    }
    product *= static_cast<double>(size);
  }
  return product;
}

Work memory_operation(std::string_view name, Traffic traffic, Arguments arguments) {
  std::vector<Tensor> tensors;
  double read = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<Tensor> of = tensor(arguments, i);
    if (!of) continue;
    tensors.push_back(*of);
    read += of->bytes();
  }
  if (tensors.empty()) return std::nullopt;
  const Tensor& first = tensors.front();
  double bytes = 0;
  switch (traffic) {
    case Traffic::map:
      bytes = read + broadcast_elements(tensors) * first.type.bytes;
      break;
    case Traffic::compare:
      bytes = read + broadcast_elements(tensors);
      break;
    case Traffic::in_place:
    case Traffic::map_first:
      bytes = read + first.bytes();
      break;
    case Traffic::copy:
      if (tensors.size() < 2) return std::nullopt;
      bytes = first.bytes() + tensors[1].bytes();
      break;
    case Traffic::write:
      bytes = first.bytes();
      break;
    case Traffic::read:
      bytes = read;
      break;
    case Traffic::gather_row:
      if (tensors.size() < 2 || first.rank() != 2) return std::nullopt;
      // A row that is selected twice is read once at least.
      bytes = tensors[1].bytes() +
              tensors[1].elements() * static_cast<double>(first.sizes[1]) * first.type.bytes;
      break;
  }
  if (!(bytes > 0) || bytes > kMaxElements) return std::nullopt;
  return modeled_work(name, "", 0, bytes, std::nullopt);
}

}  // namespace

std::optional<WorkAnnotation> operation_work(std::string_view operation, Arguments arguments) {
  const auto schema = std::ranges::find(kAttention, operation, &AttentionSchema::name);
  if (schema != kAttention.end()) return attention(*schema, arguments);
  if (!operation.starts_with("aten::")) return std::nullopt;
  const std::string_view name = operation.substr(6);
  if (name == "mm" || name == "_int_mm") return matrix_product(operation, arguments, 0, false);
  if (name == "addmm") return matrix_product(operation, arguments, 1, false);
  if (name == "bmm") return matrix_product(operation, arguments, 0, true);
  if (name == "baddbmm") return matrix_product(operation, arguments, 1, true);
  if (name == "_scaled_mm") return scaled_product(operation, arguments);
  if (name == "convolution") return convolution(operation, arguments);
  if (name == "convolution_backward") return convolution_backward(operation, arguments);
  const auto known = traffic_of_operations().find(name);
  return known == traffic_of_operations().end()
             ? std::nullopt
             : memory_operation(operation, known->second, arguments);
}

std::optional<WorkAnnotation> operation_text_work(std::string_view text) {
  constexpr std::string_view kSizes = "sizes = [";
  const std::size_t comma = text.find(", ");
  const std::size_t at = text.find(kSizes);
  if (!text.starts_with("aten::") || comma == std::string_view::npos ||
      at == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<OperationArgument> arguments;
  std::string_view rest = text.substr(at + kSizes.size());
  while (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    OperationArgument& argument = arguments.emplace_back();
    argument.sizes = integer_list(rest.substr(0, end + 1));
    if (!argument.sizes.empty()) argument.type = kUnknownType;
    rest.remove_prefix(end + 1);
    if (rest.starts_with(", ")) rest.remove_prefix(2);
  }
  std::optional<WorkAnnotation> work = operation_work(text.substr(0, comma), arguments);
  if (!work || !(work->flop > 0)) return std::nullopt;
  work->bytes.clear();
  return work;
}

}  // namespace mansard::kernels
