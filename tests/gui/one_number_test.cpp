// SPDX-License-Identifier: Apache-2.0
// Consistency: for the same launch, the window, the HTML report and the exported tables show the
// same start, launch latency and stack of ranges. Uses the example profiles.
#include <QRegularExpression>
#include <QTest>
#include <cctype>
#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyzer/profile_times.h"
#include "analyzer/steps/typical_step.h"
#include "gui/models/launch_facts.h"
#include "gui/models/load_run.h"
#include "gui/models/row_facts.h"
#include "gui/views/findings_view.h"
#include "reports/export/export.h"
#include "reports/figure/time_ticks.h"
#include "reports/report.h"
#include "reports/web/html.h"
#include "support/csv.h"
#include "support/units.h"
#include "tests/reports/page_data.h"
#include "tests/reports/timeline_page.h"

namespace mansard::gui {
namespace {

using nlohmann::json;
using Row = std::map<std::string, std::string>;

class StringSink : public reports::ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override {}
  std::string text;
};

std::vector<Row> table_of(const analysis::RunAnalysis& run, reports::ExportTable table) {
  StringSink sink;
  reports::export_csv({.run = run, .names = {}, .command = {}, .rules = nullptr}, table, sink);
  std::vector<Row> rows;
  std::vector<std::string> header;
  std::size_t from = 0;
  while (from < sink.text.size()) {
    const std::size_t end = sink.text.find('\n', from);
    std::vector<std::string> fields = split_csv_line(sink.text.substr(from, end - from));
    from = end + 1;
    if (header.empty()) {
      header = std::move(fields);
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = fields.at(i);
  }
  return rows;
}

json timeline_of_page(const analysis::RunAnalysis& run) {
  return test::page_sections(reports::render_html({{run}, {}, "", ""}))["run1-timeline"];
}

QString fact(const FactSection& section, const char* label) {
  for (const Fact& f : section.facts) {
    if (f.label == QLatin1String(label)) return f.value;
  }
  return {};
}

// Converts the window's text to the table's separator " / ".
std::string path_of(QString text) {
  return text.replace(QStringLiteral(" \u203a "), QStringLiteral(" / ")).toStdString();
}

// The report stores each stack of ranges as the number of characters shared with the previous one,
// and the rest.
std::vector<std::string> stacks_of(const json& coded) {
  std::vector<std::string> stacks;
  QList<uint> before;
  for (const json& item : coded) {
    before.resize(item[0].get<qsizetype>());
    before += QString::fromStdString(item[1].get<std::string>()).toUcs4();
    stacks.push_back(
        QString::fromUcs4(reinterpret_cast<const char32_t*>(before.constData()), before.size())
            .toStdString());
  }
  return stacks;
}

using LaunchPosition =
    std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // start, device, stream
struct LaunchOnPage {
  std::int64_t latency_ns = -1;
  std::int64_t within = -1;  // index into the stacks
};

// Kernels only: other work has bytes in this field.
std::map<LaunchPosition, LaunchOnPage> launches_on(const json& page) {
  std::map<LaunchPosition, LaunchOnPage> found;
  for (const json& track : page["tracks"]) {
    if (track["kind"] != "stream") continue;
    const std::string label = track["label"];
    const std::int64_t stream = std::stoll(label.substr(label.find("stream ") + 7));
    const std::vector<std::int64_t> starts_ns = test::track_starts_ns(track);
    const std::vector<std::int64_t> latencies_ns = test::launch_latencies_ns(page, track);
    LaunchOnPage launch{-1, 0};
    for (std::size_t i = 0; i < starts_ns.size(); ++i) {
      launch.within += track["within"][i].get<std::int64_t>();
      launch.latency_ns = latencies_ns[i];
      if (track.contains("bytes") && track["bytes"].contains(std::to_string(i))) continue;
      found[{starts_ns[i], track["device"], stream}] = launch;
    }
  }
  return found;
}

class OneNumber : public ::testing::TestWithParam<const char*> {};

TEST_P(OneNumber, StartLatencyAndRangesOfALaunch) {
  const std::filesystem::path folder = MANSARD_SOURCE_FOLDER "/examples";
  const std::filesystem::path file = folder / GetParam();
  const auto run = prepare_run(load_run(file, {}));
  const analysis::RunAnalysis& analysis = run->analysis;
  const json page = timeline_of_page(analysis);
  const std::vector<Row> launches = table_of(analysis, reports::ExportTable::launches);
  std::map<std::string, std::int64_t> called_ns;  // start of the earliest call, by correlation id
  for (const Row& call : table_of(analysis, reports::ExportTable::api)) {
    called_ns.try_emplace(call.at("correlation"), std::stoll(call.at("start_ns")));
  }
  const std::int64_t zero_ns = analysis::time_zero_ns(analysis.profile);
  ASSERT_EQ(page["origin_ns"], std::to_string(zero_ns));
  ASSERT_EQ(run->timeline.zero_ns, zero_ns);
  StringSink trace;
  reports::export_chrome({.run = analysis, .names = {}, .command = {}, .rules = nullptr}, trace);
  ASSERT_EQ(json::parse(trace.text)["otherData"]["firstEventNs"], zero_ns);
  ASSERT_EQ(launches.size(), run->launches.size());

  const std::vector<std::string> stacks = stacks_of(page["stacks"]);
  const std::map<LaunchPosition, LaunchOnPage> on_page = launches_on(page);
  ASSERT_EQ(on_page.size(), launches.size());

  std::size_t with_ranges = 0;
  std::size_t with_latency = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Row& row = launches[i];
    const std::int64_t start_ns = std::stoll(row.at("start_ns"));
    SCOPED_TRACE(row.at("name") + " at " + row.at("start_ns"));
    const auto at = on_page.find(
        {start_ns - zero_ns, std::stoll(row.at("device")), std::stoll(row.at("stream"))});
    ASSERT_NE(at, on_page.end()) << "the report has a launch with the start in the table";
    const FactSection facts = facts_of_launch(*run, i);
    EXPECT_EQ(fact(facts, "Start").toStdString(), figure::exact_time(start_ns - zero_ns));

    const auto call = called_ns.find(row.at("correlation"));
    const std::int64_t latency_ns = at->second.latency_ns;
    if (call == called_ns.end()) {
      EXPECT_EQ(latency_ns, -1);
      EXPECT_TRUE(fact(facts, "Launch latency").isEmpty());
    } else {
      ++with_latency;
      EXPECT_EQ(latency_ns, std::max<std::int64_t>(0, start_ns - call->second));
      EXPECT_EQ(fact(facts, "Launch latency"), duration_text(latency_ns));
    }

    const std::int64_t within = at->second.within;
    const std::string of_page = within < 0 ? "" : stacks.at(static_cast<std::size_t>(within));
    EXPECT_EQ(path_of(QString::fromStdString(of_page)), row.at("range_path"));
    EXPECT_EQ(path_of(fact(facts, "Ranges")), row.at("range_path"));
    with_ranges += row.at("range_path").empty() ? 0 : 1;
    if (HasFailure()) return;  // the others would fail alike
  }
  EXPECT_GT(with_latency, launches.size() / 2);
  EXPECT_GT(with_ranges, 0u);
}

// The window and the HTML report print the step time computed by the analyzer.
TEST_P(OneNumber, StepTime) {
  const std::filesystem::path file =
      std::filesystem::path(MANSARD_SOURCE_FOLDER "/examples") / GetParam();
  const auto run = prepare_run(load_run(file, {}));
  SelectionModel selection;
  selection.set_run(run);
  FindingsView view(&selection, nullptr);
  view.resize(1100, 640);
  view.show();
  view.set_run(run);
  view.choose("summary");
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.message().isEmpty(); }, 60000));
  // Without steps, the busy time of the whole profile.
  const bool steps = !analysis::typical_step(run->analysis)->whole;
  const QString start =
      steps ? QStringLiteral("A typical step takes ") : QStringLiteral("The GPU was busy for ");
  const QRegularExpressionMatch match =
      QRegularExpression(start + QStringLiteral("(\\S+ \\S+)")).match(view.summary());
  ASSERT_TRUE(match.hasMatch()) << view.summary().toStdString();
  const std::string said = match.captured(1).toStdString();
  EXPECT_EQ(
      said,
      format_si(steps ? analysis::typical_step(run->analysis)->step_s : run->analysis.busy_s, "s"));
  const std::string page = reports::render_html({{run->analysis}, {}, "", ""});
  EXPECT_NE(page.find(start.toStdString() + "<b>" + reports::html_quantity(said) + "</b>"),
            std::string::npos)
      << said;
}

std::string test_name(const ::testing::TestParamInfo<const char*>& file) {
  std::string name = file.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, OneNumber,
                         ::testing::Values("h200/h200_layer_nvfp4.sqlite",
                                           "h200/training/llama_fp8.sqlite", "h200/ranks.sqlite",
                                           "nsight/llama_bf16.sqlite", "kineto/llama_bf16.json.gz"),
                         test_name);

// Checked by hand for a profile whose first event is 0.294414395 s after the start of the session.
TEST(TimeZero, IsTheFirstEventOfTheProfile) {
  const auto run =
      prepare_run(load_run(MANSARD_SOURCE_FOLDER "/examples/h200/h200_layer_bf16.sqlite", {}));
  EXPECT_EQ(run->timeline.zero_ns, 294'414'395) << "the start of its first API call";
  // Its first kernel starts 297.150636 ms after the start of the session: 2.736241 ms after the
  // call.
  EXPECT_EQ(fact(facts_of_launch(*run, 0), "Start"), QStringLiteral("2.736241 ms"));
}

}  // namespace
}  // namespace mansard::gui
