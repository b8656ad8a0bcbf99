// SPDX-License-Identifier: Apache-2.0
#include "collector/store/file_format.h"

#include <fstream>
#include <stdexcept>
#include <string_view>

namespace mansard::store {
namespace {

// Long enough for program output before the Nsight Compute table, and for the head of a trace
// before its events.
constexpr std::size_t kHeadBytes = std::size_t{1} << 20;

bool is_report_of_nsight_systems(const std::filesystem::path& file) {
  const std::filesystem::path ending = file.extension();
  return ending == ".nsys-rep" || ending == ".qdrep" || ending == ".qdstrm";
}

// Nsight Compute prints its table after the program's output.
bool has_table_of_nsight_compute(std::string_view text) {
  constexpr std::string_view kHeader = "\"ID\",\"Process ID\",";
  for (std::size_t at = text.find(kHeader); at != std::string_view::npos;
       at = text.find(kHeader, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

std::string imported(const std::filesystem::path& file) {
  return "Import it first: `mansard import " + file.string() + " -o run.sqlite`";
}

}  // namespace

FileFormat recognize_text(std::string_view head) {
  using std::string_view_literals::operator""sv;
  if (head.empty()) return FileFormat::empty;
  if (head.starts_with("SQLite format 3\0"sv)) return FileFormat::sqlite;
  if (head.starts_with("\x1f\x8b")) return FileFormat::gzip;
  if (head.starts_with("NVR\0"sv)) return FileFormat::ncu_report;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);  // a byte order mark
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) {
    // Chrome trace events may also be a plain array.
    const bool is_trace = head.find("\"traceEvents\"") != std::string_view::npos ||
                          (head[first] == '[' && head.find("\"ph\"") != std::string_view::npos);
    return is_trace ? FileFormat::kineto_trace : FileFormat::json;
  }
  return has_table_of_nsight_compute(head) ? FileFormat::ncu_csv : FileFormat::unknown;
}

FileFormat recognize_format(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw std::runtime_error(file.string() + ": no such file");
  if (!std::filesystem::is_regular_file(status)) {
    throw std::runtime_error(file.string() + ": is not a file");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (stream.bad() || !stream.is_open()) {
    throw std::runtime_error(file.string() + ": cannot be read; check its permissions");
  }
  head.resize(static_cast<std::size_t>(stream.gcount()));
  const FileFormat format = recognize_text(head);
  if (format != FileFormat::unknown) return format;
  if (is_report_of_nsight_systems(file)) return FileFormat::nsys_report;
  return file.extension() == ".ncu-rep" ? FileFormat::ncu_report : format;
}

std::string why_not_a_profile(const std::filesystem::path& file, FileFormat format) {
  switch (format) {
    case FileFormat::sqlite:
      return "";
    case FileFormat::kineto_trace:
      return "is a JSON trace. " + imported(file);
    case FileFormat::gzip:
      return "is gzip-compressed. If it is a PyTorch profiler trace, import it first: `mansard "
             "import " +
             file.string() + " -o run.sqlite`; if it is a profile, decompress it with gunzip";
    case FileFormat::ncu_csv:
      return "is an Nsight Compute table. " + imported(file) +
             ", or together with a profile of the same program: `mansard import run.sqlite " +
             file.string() + " -o run_with_counters.sqlite`";
    case FileFormat::ncu_report:
      return "is an Nsight Compute report. Print it as a table and import that: `ncu --import " +
             file.string() +
             " --page raw --csv > counters.csv`, `mansard import counters.csv -o "
             "counters.sqlite`";
    case FileFormat::nsys_report:
      return "is an Nsight Systems report. Export it first: `nsys export --type sqlite " +
             file.string() + "`; Mansard opens the exported file directly";
    case FileFormat::json:
      return "is JSON, but neither a profile nor a trace with \"traceEvents\"";
    case FileFormat::empty:
      return "is empty: the program ended before anything was recorded, or the disk was full";
    case FileFormat::unknown:
      break;
  }
  return "is not a SQLite database. Give a file written by `mansard profile`, by `mansard import` "
         "or by `nsys export --type sqlite`";
}

}  // namespace mansard::store
