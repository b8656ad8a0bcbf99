// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/hlo_work.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace mansard::kernels {
namespace {

struct Shape {
  std::string_view type;  // "bf16"
  std::vector<std::int64_t> sizes;

  double elements() const {
    double product = 1;
    for (const std::int64_t size : sizes) product *= static_cast<double>(size);
    return product;
  }
  double bytes() const;
};

double element_bytes(std::string_view type) {
  if (type == "pred" || type.starts_with("f8")) return 1;
  if (type == "bf16") return 2;
  if (type.size() < 2 || std::string_view("sufc").find(type[0]) == std::string_view::npos) return 0;
  int bits = 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return error == std::errc() && end == type.data() + type.size() ? bits / 8.0 : 0;
}

double Shape::bytes() const { return elements() * element_bytes(type); }

std::optional<Precision> precision_of(std::string_view type) {
  if (type == "bf16") return Precision::bf16;
  if (type == "f16") return Precision::fp16;
  if (type == "f64") return Precision::fp64;
  if (type == "s8") return Precision::int8;
  if (type.starts_with("f8e4m3")) return Precision::fp8_e4m3;
  if (type.starts_with("f8e5m2")) return Precision::fp8_e5m2;
  return std::nullopt;  // f32: in FP32 or TF32
}

struct Instruction {
  std::string_view name;
  std::string_view opcode;
  std::vector<Shape> result;               // the elements of a tuple
  std::vector<std::string_view> operands;  // "name", or "name#1" for an element of a tuple
  std::string_view attributes;

  double result_bytes() const {
    double sum = 0;
    for (const Shape& shape : result) sum += shape.bytes();
    return sum;
  }
};

struct Computation {
  std::vector<Instruction> instructions;  // the root last
  std::unordered_map<std::string_view, std::size_t> by_name;

  const Instruction* find(std::string_view operand) const {
    const auto found = by_name.find(operand.substr(0, operand.find('#')));
    return found != by_name.end() ? &instructions[found->second] : nullptr;
  }
};

std::string_view without_percent(std::string_view name) {
  return name.substr(name.starts_with('%') ? 1 : 0);
}

// The end of the parenthesis that begins at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<std::int64_t> all_integers(std::string_view text) {
  std::vector<std::int64_t> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) all.push_back(value);
    at = next > at ? next : at + 1;
  }
  return all;
}

// All shapes of a type: "bf16[4096,1024]{1,0}", or several in a tuple.
std::vector<Shape> shapes(std::string_view type) {
  std::vector<Shape> all;
  std::size_t at = 0;
  while ((at = type.find('[', at)) != std::string_view::npos) {
    std::size_t begin = at;
    while (begin > 0 && std::isalnum(static_cast<unsigned char>(type[begin - 1]))) --begin;
    const std::size_t end = type.find(']', at);
    if (end == std::string_view::npos) break;
    if (begin < at)
      all.push_back(
          {type.substr(begin, at - begin), all_integers(type.substr(at + 1, end - at - 1))});
    at = end;
  }
  return all;
}

// The value of "name={...}" or "name=%...".
std::string_view attribute(std::string_view attributes, std::string_view name) {
  std::size_t at = 0;
  while ((at = attributes.find(name, at)) != std::string_view::npos) {
    const bool begins = at == 0 || attributes[at - 1] == ' ' || attributes[at - 1] == ',';
    at += name.size();
    if (!begins || !attributes.substr(at).starts_with('=')) continue;
    ++at;
    const std::size_t end = attributes.substr(at).starts_with('{')
                                ? closing(attributes, at)
                                : attributes.find_first_of(", ", at);
    return attributes.substr(at, end == std::string_view::npos ? end : end - at);
  }
  return {};
}

// "[ROOT] %name = type opcode(operands), attributes"
std::optional<Instruction> parse_instruction(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos || line.substr(0, equals).find(' ') != line.npos) return {};
  Instruction found;
  found.name = without_percent(line.substr(0, equals));
  std::string_view rest = line.substr(equals + 3);
  const std::size_t type_end = rest.starts_with('(') ? closing(rest, 0) + 1 : rest.find(' ');
  if (type_end >= rest.size()) return {};
  found.result = shapes(rest.substr(0, type_end));
  rest.remove_prefix(type_end + 1);
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos) return {};
  found.opcode = rest.substr(0, open);
  const std::size_t close = closing(rest, open);
  if (close == std::string_view::npos) return {};
  found.attributes = rest.substr(close + 1);
  std::string_view operands = rest.substr(open + 1, close - open - 1);
  while (!operands.empty()) {
    std::size_t end = 0;
    for (int depth = 0; end < operands.size() && (depth > 0 || operands[end] != ','); ++end) {
      if (std::string_view("([{").find(operands[end]) != std::string_view::npos) ++depth;
      if (std::string_view(")]}").find(operands[end]) != std::string_view::npos) --depth;
    }
    // Older texts repeat the operand's type before its name.
    const std::string_view operand = operands.substr(0, end);
    const std::size_t space = operand.find_last_of(' ');
    found.operands.push_back(
        without_percent(operand.substr(space == std::string_view::npos ? 0 : space + 1)));
    operands.remove_prefix(std::min(end + 1, operands.size()));
  }
  return found;
}

class Module {
 public:
  explicit Module(std::string_view text) {
    Computation* computation = nullptr;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.starts_with('}')) {
        computation = nullptr;
      } else if (computation != nullptr) {
        if (std::optional<Instruction> instruction = parse_instruction(line)) {
          computation->by_name.emplace(instruction->name, computation->instructions.size());
          computation->instructions.push_back(std::move(*instruction));
        }
      } else if (line.ends_with('{') && line.find(" -> ") != std::string_view::npos) {
        std::string_view name = line.starts_with("ENTRY ") ? line.substr(6) : line;
        name = without_percent(name.substr(0, name.find(' ')));
        computation = &computations_[name];
      }
    }
    find_nested();
  }

  std::map<std::string, WorkAnnotation, std::less<>> work() const {
    std::map<std::string, WorkAnnotation, std::less<>> all;
    for (const auto& [name, computation] : computations_) {
      for (const Instruction& instruction : computation.instructions) {
        if (instruction.opcode != "fusion" || is_nested_.contains(name)) continue;
        if (auto work = fusion_work(computation, instruction)) {
          all.insert_or_assign(std::string(instruction.name), std::move(*work));
        }
      }
    }
    return all;
  }

 private:
  struct Contents {
    double flop = 0;
    std::optional<Precision> precision;
    std::set<std::string_view> opcodes;
  };

  // Fusions within the computation of a fusion are parts of its kernel.
  void find_nested() {
    std::vector<std::string_view> next;
    for (const auto& [name, computation] : computations_) {
      for (const Instruction& instruction : computation.instructions) {
        if (instruction.opcode == "fusion") next.push_back(called(instruction));
      }
    }
    while (!next.empty()) {
      const std::string_view name = next.back();
      next.pop_back();
      const auto found = computations_.find(name);
      if (found == computations_.end() || !is_nested_.insert(name).second) continue;
      for (const Instruction& instruction : found->second.instructions) {
        if (!called(instruction).empty()) next.push_back(called(instruction));
      }
    }
  }

  static std::string_view called(const Instruction& instruction) {
    for (const std::string_view name : {"calls", "to_apply"}) {
      const std::string_view value = attribute(instruction.attributes, name);
      if (!value.empty()) return without_percent(value);
    }
    return {};
  }

  void add_contents(std::string_view name, int depth, Contents& contents) const {
    const auto found = computations_.find(name);
    if (found == computations_.end() || depth > kMaxDepth) return;
    for (const Instruction& instruction : found->second.instructions) {
      contents.opcodes.insert(instruction.opcode);
      if (instruction.opcode == "dot") add_dot(found->second, instruction, contents);
      const bool is_part = instruction.opcode == "fusion" || instruction.opcode == "call";
      if (is_part) add_contents(called(instruction), depth + 1, contents);
    }
  }

  static void add_dot(const Computation& computation, const Instruction& dot, Contents& contents) {
    if (dot.operands.empty() || dot.result.empty()) return;
    const Instruction* left = computation.find(dot.operands[0]);
    if (left == nullptr || left->result.empty()) return;
    const Shape& shape = left->result[0];
    double inner = 1;
    for (const std::int64_t dimension :
         all_integers(attribute(dot.attributes, "lhs_contracting_dims"))) {
      if (dimension < 0 || dimension >= static_cast<std::int64_t>(shape.sizes.size())) return;
      inner *= static_cast<double>(shape.sizes[static_cast<std::size_t>(dimension)]);
    }
    contents.flop += 2 * dot.result[0].elements() * inner;
    contents.precision = precision_of(shape.type);
    // "dot_bf16_bf16_f32": operands of any type, multiplied in BF16.
    const std::string_view algorithm = attribute(dot.attributes, "algorithm");
    if (algorithm.starts_with("dot_tf32")) contents.precision = Precision::tf32;
    if (algorithm.starts_with("dot_f32")) contents.precision = Precision::fp32;
    for (const std::string_view type : {"bf16", "f16", "f64"}) {
      if (algorithm.starts_with("dot_" + std::string(type))) {
        contents.precision = precision_of(type);
      }
    }
  }

  // Empty if the fusion's name gives the class, as that of loop_transpose_fusion does.
  static std::string_view class_of(std::string_view name, const Contents& contents) {
    const auto has = [&](std::string_view opcode) { return contents.opcodes.contains(opcode); };
    if (has("dot")) return "gemm";
    if (!name.starts_with("fusion")) return "";
    if (has("reduce") && has("exponential")) return "softmax";
    if (has("reduce") && has("rsqrt")) return "norm";
    if (has("scatter") || has("gather")) return "embedding";
    if (has("reduce")) return "reduction";
    return "elementwise";
  }

  std::optional<WorkAnnotation> fusion_work(const Computation& around,
                                            const Instruction& fusion) const {
    const auto found = computations_.find(called(fusion));
    if (found == computations_.end()) return std::nullopt;
    const Computation& body = found->second;
    double bytes = written(body, fusion);
    std::set<std::string_view> counted;
    for (std::size_t i = 0; i < fusion.operands.size(); ++i) {
      const std::string_view operand = fusion.operands[i];
      if (!counted.insert(operand).second) continue;
      bytes += read(body, i, operand_bytes(around, operand));
    }
    Contents contents;
    add_contents(called(fusion), 0, contents);
    if (!(bytes > 0) && !(contents.flop > 0)) return std::nullopt;
    return modeled_work(fusion.name, class_of(fusion.name, contents), contents.flop, bytes,
                        contents.precision);
  }

  static double operand_bytes(const Computation& computation, std::string_view operand) {
    const Instruction* made = computation.find(operand);
    if (made == nullptr) return 0;
    const std::size_t element = operand.find('#');
    if (element == std::string_view::npos) return made->result_bytes();
    const std::vector<std::int64_t> index = all_integers(operand.substr(element));
    return !index.empty() && index[0] >= 0 &&
                   index[0] < static_cast<std::int64_t>(made->result.size())
               ? made->result[static_cast<std::size_t>(index[0])].bytes()
               : 0;
  }

  // Bytes that a fusion reads of its n-th operand.
  static double read(const Computation& body, std::size_t n, double all_bytes) {
    const Instruction* parameter = nullptr;
    const std::string number = std::to_string(n);
    for (const Instruction& instruction : body.instructions) {
      if (instruction.opcode == "parameter" && !instruction.operands.empty() &&
          instruction.operands[0] == number) {
        parameter = &instruction;
      }
    }
    if (parameter == nullptr) return all_bytes;
    double taken = 0;
    for (const Instruction& user : body.instructions) {
      for (std::size_t i = 0; i < user.operands.size(); ++i) {
        if (user.operands[i] != parameter->name) continue;
        const bool takes =
            user.opcode == "slice" || user.opcode == "dynamic-slice" || user.opcode == "gather";
        if (update_of(user) && i == 0) continue;
        if (!takes || i > 0) return all_bytes;
        taken += user.result_bytes();
      }
    }
    return std::min(taken, all_bytes);
  }

  // Bytes that it writes: of an operand that is updated in place, the update.
  static double written(const Computation& body, const Instruction& fusion) {
    if (body.instructions.empty()) return fusion.result_bytes();
    const Instruction& root = body.instructions.back();
    const std::optional<std::size_t> update = update_of(root);
    if (!update || root.operands.size() <= *update) return fusion.result_bytes();
    const Instruction* updated = body.find(root.operands[0]);
    const bool in_place = updated != nullptr && updated->opcode == "parameter";
    return in_place ? operand_bytes(body, root.operands[*update]) : fusion.result_bytes();
  }

  // The operand with the new values, of instructions that update their first operand.
  static std::optional<std::size_t> update_of(const Instruction& instruction) {
    if (instruction.opcode == "dynamic-update-slice") return 1;
    if (instruction.opcode == "scatter") return 2;
    return std::nullopt;
  }

  static constexpr int kMaxDepth = 16;
  std::map<std::string_view, Computation> computations_;
  std::set<std::string_view> is_nested_;
};

}  // namespace

std::map<std::string, WorkAnnotation, std::less<>> work_of_hlo(std::string_view module_text) {
  return Module(module_text).work();
}

}  // namespace mansard::kernels
