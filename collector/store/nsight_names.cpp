// SPDX-License-Identifier: Apache-2.0
#include "collector/store/nsight_names.h"

#include <map>
#include <utility>

#include "collector/store/tables.h"

namespace mansard::store {
namespace {

using Kinds = std::map<std::pair<std::string_view, std::string_view>, ColumnKind>;

Kinds declared_kinds() {
  Kinds kinds;
  for_each_table([&](const auto& declared) {
    declared.for_each([&](const auto& column) {
      kinds[{declared.name, column.name}] = column.kind;
    });
  });
  return kinds;
}

// A column name has the same meaning in all Nsight Systems tables.
std::map<std::string_view, ColumnKind> kinds_by_name() {
  std::map<std::string_view, ColumnKind> kinds = {{"startNs", ColumnKind::time},
                                                  {"endNs", ColumnKind::time},
                                                  {"timestampNs", ColumnKind::time}};
  for (const auto& [place, kind] : declared_kinds()) {
    const bool is_everywhere = kind != ColumnKind::event && kind != ColumnKind::reading;
    if (is_everywhere && kind != ColumnKind::plain) kinds.emplace(place.second, kind);
  }
  return kinds;
}

}  // namespace

ColumnKind column_kind(std::string_view table, std::string_view column) {
  static const Kinds declared = declared_kinds();
  static const std::map<std::string_view, ColumnKind> by_name = kinds_by_name();
  if (const auto known = declared.find({table, column}); known != declared.end()) {
    return known->second;
  }
  const auto known = by_name.find(column);
  return known == by_name.end() ? ColumnKind::plain : known->second;
}

}  // namespace mansard::store
