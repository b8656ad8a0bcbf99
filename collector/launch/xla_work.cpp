// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/xla_work.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "collector/store/close_database.h"
#include "collector/store/mansard_tables.h"
#include "collector/store/row_writer.h"
#include "kernels/annotation/hlo_work.h"

namespace mansard::collector {
namespace {

namespace fs = std::filesystem;

using HloWork = std::map<std::string, kernels::WorkAnnotation, std::less<>>;

// The value of a key in the text of XLA's ranges: "Thunk:#name=jit(f)/add,hlo_op=fusion.1#".
std::string_view value_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos || at == 0 || (text[at - 1] != '#' && text[at - 1] != ',')) {
    return {};
  }
  const std::string_view rest = text.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(",#"));
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

// The modules that XLA has written, by the id of their program:
// "module_0034.jit_step.sm_9.0a_gpu_after_optimizations.txt". Each is read when it is needed.
class Modules {
 public:
  explicit Modules(const fs::path& folder) {
    constexpr std::string_view kPrefix = "module_";
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(kPrefix) || !name.ends_with("after_optimizations.txt")) continue;
      const std::string_view digits = std::string_view(name).substr(kPrefix.size());
      if (const auto id = number(digits.substr(0, digits.find('.')))) files_[*id] = entry.path();
    }
  }

  bool empty() const { return files_.empty(); }

  const HloWork* find(std::int64_t program) {
    const auto file = files_.find(program);
    if (file == files_.end()) return nullptr;
    const auto [entry, is_new] = work_.try_emplace(program);
    if (is_new) {
      std::ifstream stream(file->second, std::ios::binary);
      entry->second = kernels::work_of_hlo(std::string(std::istreambuf_iterator<char>(stream), {}));
    }
    return &entry->second;
  }

 private:
  std::map<std::int64_t, fs::path> files_;
  std::map<std::int64_t, HloWork> work_;
};

std::vector<store::WorkRow> work_of_ranges(store::Database& database, Modules& modules) {
  struct Execution {
    std::int64_t program = 0;
    std::int64_t end_ns = 0;
  };
  std::unordered_map<std::int64_t, Execution> executing;  // by thread
  std::vector<store::WorkRow> rows;
  // Each table is created with its first row.
  const bool has_strings = database.has_table("StringIds");
  const bool has_work = database.has_table("MANSARD_WORK");
  store::Statement ranges = database.prepare(
      std::string("SELECT n.rowid, n.start, ifnull(n.\"end\", n.start), n.globalTid, ") +
      (has_strings ? "ifnull(n.text, s.value)" : "n.text") + " AS name FROM NVTX_EVENTS n " +
      (has_strings ? "LEFT JOIN StringIds s ON s.id = n.textId " : "") +
      "WHERE (name LIKE 'XlaModule:%' OR name LIKE 'Thunk:%') " +
      (has_work ? "AND n.rowid NOT IN (SELECT eventId FROM MANSARD_WORK) " : "") +
      "ORDER BY n.start, n.\"end\" DESC");
  while (ranges.step()) {
    const std::string text = ranges.text(4);
    Execution& execution = executing[ranges.integer(3)];
    if (text.starts_with("XlaModule:")) {
      execution = {number(value_of(text, "program_id=")).value_or(-1), ranges.integer(2)};
      continue;
    }
    if (ranges.integer(1) >= execution.end_ns) continue;
    const HloWork* module = modules.find(execution.program);
    if (module == nullptr) continue;
    const auto work = module->find(value_of(text, "hlo_op="));
    if (work != module->end()) rows.push_back({ranges.integer(0), work->second});
  }
  return rows;
}

}  // namespace

XlaDump::XlaDump() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return;
  std::string name = (parent / "mansard-xla-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) folder_ = name;
}

XlaDump::~XlaDump() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string XlaDump::flags() const {
  const char* own = std::getenv("XLA_FLAGS");
  const std::string before = own != nullptr ? own : "";
  // A path with a space would end the option.
  if (folder_.empty() || folder_.string().find_first_of(" \"'") != std::string::npos ||
      before.find("--xla_dump_") != std::string::npos) {
    return "";
  }
  // Not the thousands of modules that XLA compiles to tune a kernel.
  return before + (before.empty() ? "" : " ") + "--xla_dump_to=" + folder_.string() +
         " --xla_dump_hlo_module_re=^(jit|pmap)_";
}

std::size_t add_xla_work(const fs::path& profile, const fs::path& folder) {
  Modules modules(folder);
  if (modules.empty() || store::is_being_recorded(profile)) return 0;
  store::Database database(profile.string(), store::Database::Access::read_write);
  if (!database.has_table("NVTX_EVENTS")) return 0;
  const std::vector<store::WorkRow> rows = work_of_ranges(database, modules);
  if (rows.empty()) return 0;
  database.write_through_log();
  database.exec("BEGIN");
  store::RowWriter<store::table<store::WorkRow>> work(database);
  store::RowWriter<store::table<store::WorkBytesRow>> bytes(database);
  for (const store::WorkRow& row : rows) {
    work.insert(row);
    for (const auto& [level, amount] : row.work.bytes) {
      bytes.insert({row.event, info(level).key, amount});
    }
  }
  database.exec("COMMIT");
  database.fold_log();
  return rows.size();
}

}  // namespace mansard::collector
