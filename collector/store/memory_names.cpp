// SPDX-License-Identifier: Apache-2.0
#include "collector/store/memory_names.h"

#include <array>
#include <utility>

namespace mansard::store {
namespace {

using Name = std::pair<std::string_view, std::int32_t>;

constexpr std::array kCopies = {
    Name{"HtoD", 1}, Name{"DtoH", 2}, Name{"HtoA", 3}, Name{"AtoH", 4}, Name{"AtoA", 5},
    Name{"AtoD", 6}, Name{"DtoA", 7}, Name{"DtoD", 8}, Name{"HtoH", 9}, Name{"PtoP", 10},
};

constexpr std::array kMemories = {
    Name{"Pageable", 0}, Name{"Pinned", 1},        Name{"Device", 2},         Name{"Array", 3},
    Name{"Managed", 4},  Name{"Device Static", 5}, Name{"Managed Static", 6},
};

constexpr std::int32_t kUnknownMemory = 7;

template <std::size_t N>
std::int32_t value_of(const std::array<Name, N>& names, std::string_view name) {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  return kUnknownMemory;
}

// Returns "" for a number without a name.
template <std::size_t N>
std::string_view name_of(const std::array<Name, N>& names, std::int32_t value) {
  for (const auto& [known, number] : names) {
    if (number == value) return known;
  }
  return "";
}

std::string_view memory_name(std::int32_t kind) {
  const std::string_view name = name_of(kMemories, kind);
  return name.empty() ? "Unknown" : name;
}

// Returns the text in the last parentheses, or "".
std::string_view in_parentheses(std::string_view name) {
  const std::size_t open = name.rfind('(');
  const std::size_t close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  return name.substr(open + 1, close - open - 1);
}

}  // namespace

CopyKinds copy_kinds(std::string_view name) {
  CopyKinds kinds;
  for (const auto& [direction, value] : kCopies) {
    if (name.find(direction) != std::string_view::npos) {
      kinds.copy = value;
      break;
    }
  }
  const std::string_view memories = in_parentheses(name);
  constexpr std::string_view kArrow = " -> ";
  const std::size_t arrow = memories.find(kArrow);
  if (arrow == std::string_view::npos) return kinds;
  kinds.source = value_of(kMemories, memories.substr(0, arrow));
  kinds.destination = value_of(kMemories, memories.substr(arrow + kArrow.size()));
  return kinds;
}

std::int32_t fill_memory_kind(std::string_view name) {
  return value_of(kMemories, in_parentheses(name));
}

std::string copy_name(const CopyKinds& kinds) {
  std::string name = "Memcpy";
  const std::string_view direction = name_of(kCopies, kinds.copy);
  if (!direction.empty()) name.append(" ").append(direction);
  name.append(" (").append(memory_name(kinds.source)).append(" -> ");
  return name.append(memory_name(kinds.destination)).append(")");
}

std::string fill_name(std::int32_t memory_kind) {
  return std::string("Memset (").append(memory_name(memory_kind)).append(")");
}

}  // namespace mansard::store
