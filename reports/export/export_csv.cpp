// SPDX-License-Identifier: Apache-2.0
// CSV tables of events, written row by row. Quoting and line ends are as in
// reports/formats/csv_tables.cpp.
#include <array>
#include <unordered_map>

#include "analyzer/activity.h"
#include "collector/store/global_ids.h"
#include "collector/store/memory_names.h"
#include "reports/export/csv_writer.h"
#include "reports/export/export.h"
#include "reports/export/start_merge.h"

namespace mansard::reports {
namespace {

struct ExportTableName {
  std::string_view key;
  ExportTable table;
};
constexpr std::array kTables = {
    ExportTableName{"launches", ExportTable::launches},
    ExportTableName{"kernels", ExportTable::kernels},
    ExportTableName{"ranges", ExportTable::ranges},
    ExportTableName{"memory_operations", ExportTable::memory_operations},
    ExportTableName{"api", ExportTable::api},
};

void write_kernels(const ExportInput& input, ByteSink& sink) {
  const analysis::AnalysisSpec* spec = analysis::analysis_registry().find("kernels");
  if (spec == nullptr) throw std::logic_error("there is no analysis 'kernels'");
  sink.write(csv_rows(spec->run(input.run).tables.front()));
}

// Zero for marks; empty for ranges that were still open.
void add_range(CsvWriter& csv, const store::Profile& profile, const store::NvtxRecord& record,
               std::string_view domain, const store::HostNames& names) {
  csv.add(record.start_ns);
  if (record.type == store::NvtxEventType::mark) {
    csv.add(std::int64_t{0});
  } else if (record.end_ns >= record.start_ns) {
    csv.add(record.end_ns - record.start_ns);
  } else {
    csv.add_unknown();
  }
  csv.add(record.type == store::NvtxEventType::mark ? "mark" : "range");
  csv.add(analysis::range_name(profile, record));
  csv.add(domain);
  csv.add(store::pid_of(record.global_tid));
  csv.add(store::tid_of(record.global_tid));
  const auto thread = names.threads.find(record.global_tid);
  csv.add(thread == names.threads.end() ? std::string_view() : std::string_view(thread->second));
  const kernels::WorkAnnotation* work = profile.work.find(record.row_id);
  const bool stated = work != nullptr;
  csv.add_positive(stated ? work->flop : 0);
  const bool precise = stated && work->precision;
  csv.add(precise ? info(*work->precision).label : std::string_view());
  csv.add(stated ? std::string_view(work->operation_class) : std::string_view());
  csv.add(std::int64_t{record.began_earlier ? 1 : 0});
  csv.end_row();
}

void write_ranges(const ExportInput& input, ByteSink& sink) {
  const store::Profile& profile = input.run.profile;
  CsvWriter csv(sink, {"start_ns", "duration_ns", "kind", "name", "domain", "pid", "tid", "thread",
                       "flop", "precision", "class", "began_before_recording"});
  std::unordered_map<std::int64_t, std::string> domains;
  for (const store::NvtxRecord& record : profile.nvtx) {
    if (record.type == store::NvtxEventType::domain_create) {
      domains.try_emplace(record.domain_id, profile.text(record));
    }
  }
  for (const store::NvtxRecord& record : profile.nvtx) {
    const bool shown = record.type == store::NvtxEventType::push_pop ||
                       record.type == store::NvtxEventType::start_end ||
                       record.type == store::NvtxEventType::mark;
    if (shown) add_range(csv, profile, record, domains[record.domain_id], input.names);
  }
  csv.finish();
}

template <class Record>
void add_transfer(CsvWriter& csv, const Record& record, std::string_view kind,
                  const std::string& name) {
  csv.add_times(record.start_ns, record.end_ns);
  csv.add(kind);
  csv.add(name);
  csv.add(record.bytes);
  csv.add(std::int64_t{record.device_id});
  csv.add(std::int64_t{record.context_id});
  csv.add(std::int64_t{record.stream_id});
  csv.add(record.correlation_id);
  csv.end_row();
}

template <class Record>
struct Transfers {
  const std::vector<Record>& records;
  std::size_t size() const { return records.size(); }
  std::pair<std::int64_t, std::int64_t> at(std::size_t i) const {
    return {records[i].start_ns, records[i].end_ns};
  }
};

void write_copies(const ExportInput& input, ByteSink& sink) {
  const store::Profile& profile = input.run.profile;
  CsvWriter csv(sink, {"start_ns", "duration_ns", "kind", "name", "bytes", "device", "context",
                       "stream", "correlation"});
  merge_by_start(
      shortest_first,
      [&](const TimedRecord& at) {
        if (at.list == 0) {
          const store::MemcpyRecord& copy = profile.memcpys[at.index];
          add_transfer(csv, copy, "memcpy",
                       store::copy_name({copy.copy_kind, copy.src_kind, copy.dst_kind}));
        } else {
          const store::MemsetRecord& fill = profile.memsets[at.index];
          add_transfer(csv, fill, "memset", store::fill_name(fill.mem_kind));
        }
      },
      Transfers<store::MemcpyRecord>{profile.memcpys},
      Transfers<store::MemsetRecord>{profile.memsets});
  csv.finish();
}

void write_calls(const ExportInput& input, ByteSink& sink) {
  const store::Profile& profile = input.run.profile;
  CsvWriter csv(sink, {"start_ns", "duration_ns", "api", "name", "pid", "tid", "correlation",
                       "return_value"});
  for (const store::ApiRecord& call : profile.api_calls) {
    csv.add_times(call.start_ns, call.end_ns);
    csv.add(call.event_class == 1 ? "driver" : "runtime");
    csv.add(profile.string(call.name));
    csv.add(store::pid_of(call.global_tid));
    csv.add(store::tid_of(call.global_tid));
    csv.add(call.correlation_id);
    csv.add(std::int64_t{call.return_value});
    csv.end_row();
  }
  csv.finish();
}

}  // namespace

std::optional<ExportTable> parse_export_table(std::string_view key) {
  for (const ExportTableName& known : kTables) {
    if (known.key == key) return known.table;
  }
  return std::nullopt;
}

std::vector<std::string> csv_table_keys() {
  std::vector<std::string> keys;
  for (const ExportTableName& known : kTables) keys.emplace_back(known.key);
  return keys;
}

void export_csv(const ExportInput& input, ExportTable table, ByteSink& sink) {
  switch (table) {
    case ExportTable::launches:
      return write_launches(input, sink);
    case ExportTable::kernels:
      return write_kernels(input, sink);
    case ExportTable::ranges:
      return write_ranges(input, sink);
    case ExportTable::memory_operations:
      return write_copies(input, sink);
    case ExportTable::api:
      return write_calls(input, sink);
  }
}

}  // namespace mansard::reports
