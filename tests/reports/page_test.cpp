// SPDX-License-Identifier: Apache-2.0
// The text of the page, without a browser. tests/reports/browser.py opens it in a browser.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyzer/steps/run_unit.h"
#include "reports/figure/plane_figure.h"
#include "reports/report.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"
#include "support/text.h"
#include "support/units.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/reports/fixture.h"
#include "tests/reports/page_text.h"

namespace mansard::reports {
namespace {

const std::string kIslandStart = "<script type=\"application/json\" id=\"report-data\">";

std::string island_text(const std::string& page) {
  const std::size_t start = page.find(kIslandStart);
  if (start == std::string::npos) return {};
  const std::size_t from = start + kIslandStart.size();
  return page.substr(from, page.find("</script>", from) - from);
}

// The page without the script, whose strings contain markup.
std::string without_script(const std::string& page) {
  const std::size_t from = page.rfind("<script>");
  return from == std::string::npos ? page : page.substr(0, from);
}

// The paragraph that summarizes a run.
std::string lead(const std::string& page) { return between(page, "class=\"lead\"", "</p>"); }

// A plane's points, {row, level, x, y, ideal}, from columns where null repeats the value before.
// Levels are numbered in the order of "level_names".
std::vector<nlohmann::ordered_json> points_of(const nlohmann::ordered_json& plane) {
  std::vector<std::string> levels;
  for (const auto& [key, label] : plane["level_names"].items()) levels.push_back(key);
  std::vector<nlohmann::ordered_json> points;
  for (const auto& [name, column] : plane["points"].items()) {
    points.resize(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
      points[i][name] = column[i].is_null() ? points[i - 1][name] : column[i];
    }
  }
  for (nlohmann::ordered_json& point : points) {
    const int level = point["level"];
    point["level"] =
        level < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(levels.at(level));
  }
  return points;
}

class Page : public testing::Test {
 protected:
  const analysis::RunAnalysis run = fixture::training_step();
  const std::string html = render_html({{run}, {fixture::h200()}, "", "mansard report run.sqlite"});
};

TEST_F(Page, MakesNoNetworkRequests) {
  const std::string page = without_script(html);
  EXPECT_EQ(occurrences(page, " src="), 0u);
  EXPECT_EQ(occurrences(page, "@import"), 0u);
  EXPECT_EQ(occurrences(page, "url("), 0u);
  EXPECT_EQ(occurrences(page, "<link"), 1u)
      << "only the empty icon, which stops the browser asking";
  EXPECT_NE(page.find("<link rel=\"icon\" href=\"data:,\">"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST_F(Page, DataIslandHoldsTheRunsNumbers) {
  const auto json = nlohmann::ordered_json::parse(island_text(html));
  EXPECT_EQ(json["schema_version"], 3);
  const auto& roofline = json["sections"]["run1-roofline"];
  const auto points = points_of(roofline);
  ASSERT_EQ(points.size(), run.points.size());
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const auto& point = points[i];
    EXPECT_EQ(point["row"], run.points[i].row);
    EXPECT_EQ(point["level"], info(run.points[i].level).key);
    EXPECT_EQ(point["x"], run.points[i].intensity);
    EXPECT_EQ(point["y"], run.points[i].flop_per_s);
    const analysis::KernelRow& row = run.rows[run.points[i].row];
    const auto& shown = json["sections"]["run1-rows"]["rows"][std::to_string(run.points[i].row)];
    EXPECT_EQ(shown["name"], row.name);
    EXPECT_EQ(shown["time_s"], row.time_s);
    EXPECT_EQ(shown["share"], row.share);
    EXPECT_EQ(shown["saving_s"], row.saving_s) << "of the whole run, which has no steps";
    EXPECT_EQ(shown["bound"], row.sol.bound_label);
    EXPECT_DOUBLE_EQ(shown["sol_fraction"].get<double>(), row.sol.time_s / row.cost_s);
  }
  const roofline::DeviceModel machine = fixture::h200().devices.front();
  // The title of each line is a ceiling of the machine with its value.
  const auto& titles = roofline["drawing"]["titles"];
  ASSERT_GE(titles.size(), 5u);
  std::set<std::string> ceilings;
  for (const figure::PlaneLine& line :
       figure::layout_roofline(fixture::h200().devices.front(), &run).lines) {
    ASSERT_NE(fixture::h200().devices.front().find(line.id), nullptr);
    ceilings.insert(line.label);
  }
  for (const auto& [link, title] : titles.items()) {
    EXPECT_TRUE(ceilings.contains(title.get<std::string>())) << link << ": " << title;
  }
}

// A kernel that ran only while counters were collected is not in the table. The others keep their
// numbers, by which a selected row finds its points.
TEST_F(Page, RowsOfTheKernelTableAreTheRunsRows) {
  analysis::RunAnalysis counted = run;
  counted.rows[0].launches = 0;
  const std::string page = render_html({{counted}, {}, "", ""});
  const std::size_t from = page.find("id=\"run1-kernels-table\"");
  ASSERT_NE(from, std::string::npos);
  const std::string table = page.substr(from, page.find("</table>", from) - from);
  EXPECT_EQ(occurrences(table, "<tr data-row="), run.rows.size() - 1);
  EXPECT_EQ(table.find("<tr data-row=\"0\""), std::string::npos);
  const std::size_t second = table.find("<tr data-row=\"1\"");
  ASSERT_NE(second, std::string::npos);
  const std::string row = table.substr(second, table.find("</tr>", second) - second);
  EXPECT_NE(row.find(escape_html(truncate_middle(run.rows[1].short_name, 52))), std::string::npos);
}

// Labels are those of kernel_columns(), and all values have a labeled key.
TEST_F(Page, KernelFactsUseTheKernelColumns) {
  const auto json = nlohmann::ordered_json::parse(island_text(html))["sections"]["run1-rows"];
  EXPECT_EQ(json["columns"]["sol_fraction"]["label"], "SOL %");
  for (const auto& [key, row] : json["rows"].items()) {
    for (const auto& [column, value] : row.items()) {
      if (column == "name" || column == "short") continue;
      EXPECT_TRUE(json["columns"].contains(column)) << column;
    }
  }
}

TEST_F(Page, TablesHoldEveryKernelUnrounded) {
  const std::size_t from = html.find("id=\"run1-kernels-table\"");
  ASSERT_NE(from, std::string::npos);
  const std::string table = html.substr(from, html.find("</table>", from) - from);
  EXPECT_EQ(occurrences(table, "<tr data-row="), run.rows.size());
  for (const analysis::KernelRow& row : run.rows) {
    EXPECT_NE(table.find(escape_html(format_si(row.time_s, "s")) + "</td>"), std::string::npos);
    EXPECT_NE(table.find(escape_html(truncate_middle(row.short_name, 52))), std::string::npos);
  }
  // The unrounded time of the first row parses to the same double.
  const std::regex raw("data-v=\"([0-9.e+-]+)\">38\\.2 ms<");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(table, match, raw));
  EXPECT_EQ(std::stod(match[1]), run.rows[0].time_s);
}

// Largest potential saving first; unknown savings last. Bars show the parts of the largest.
TEST_F(Page, KernelTableIsSortedByPotentialSaving) {
  const std::string table = between(html, "id=\"run1-kernels-table\"", "</table>");
  EXPECT_NE(table.find("aria-sort=\"descending\" class=\"n\" data-key=\"saving_s\""),
            std::string::npos);
  std::vector<std::size_t> rows;
  const std::regex numbered("<tr data-row=\"([0-9]+)\"");
  for (std::sregex_iterator i(table.begin(), table.end(), numbered), end; i != end; ++i) {
    rows.push_back(std::stoul((*i)[1]));
  }
  ASSERT_EQ(rows.size(), run.rows.size());
  EXPECT_TRUE(std::ranges::is_sorted(rows, std::greater(),
                                     [&](std::size_t row) { return run.rows[row].saving_s; }));
  EXPECT_EQ(run.rows[rows.back()].operation_class.name(), "collective");
  EXPECT_EQ(occurrences(table, "style=\"--part:100%\""), 1u);
}

TEST_F(Page, HasStaticFiguresWithoutTheScript) {
  for (const std::string width : {"wide", "narrow"}) {
    EXPECT_EQ(occurrences(html, "<svg class=\"" + width + '"') +
                  occurrences(html, "<svg class=\"timeline " + width + '"'),
              4u)
        << "roofline, timeline, bandwidth and latency over working set";
  }
  EXPECT_EQ(occurrences(html, "<svg class=\"wide only\""), 2u) << "time and complexity plane";
  EXPECT_NE(html.find("Bandwidth and latency vs. working set"), std::string::npos);
  std::size_t hbm_points = 0;
  for (const analysis::RooflinePoint& p : run.points)
    hbm_points += p.level == MemoryLevel::hbm ? 1 : 0;
  const std::size_t from = html.find("<svg class=\"wide\"");
  const std::string figure = html.substr(from, html.find("<svg class=\"narrow\"", from) - from);
  const std::size_t marks = occurrences(figure, " of the time</title>");
  EXPECT_GE(marks, hbm_points - 1) << "two GEMMs are close enough to become one mark";
  EXPECT_LE(marks, hbm_points);
  EXPECT_NE(figure.find("role=\"img\" aria-label=\"Roofline"), std::string::npos);
}

TEST_F(Page, PlanesShowOneLaunch) {
  const auto json = nlohmann::ordered_json::parse(island_text(html));
  const auto& times = json["sections"]["run1-time-plane"];
  const auto& amounts = json["sections"]["run1-complexity-plane"];
  const analysis::Table table =
      analysis::analysis_registry().find("time_based")->run(run).tables.at(1);
  const auto cell = [&](std::size_t row, std::string_view key) {
    const auto column = std::ranges::find(table.columns, key, &analysis::Column::key);
    std::size_t line = 0;  // the table is sorted by potential saving
    while (line < table.rows.size() && table.link(line).row != row) ++line;
    return table.rows.at(line).at(static_cast<std::size_t>(column - table.columns.begin()));
  };
  ASSERT_EQ(points_of(times).size(), run.rows.size() - 1) << "the collective's work is not known";
  for (const auto& point : points_of(times)) {
    const std::size_t row = point["row"];
    EXPECT_EQ(analysis::Cell(point["x"].get<double>()), cell(row, "time_plane_x_s"));
    EXPECT_EQ(analysis::Cell(point["y"].get<double>()), cell(row, "time_plane_y_s"));
    EXPECT_EQ(analysis::Cell(point["ideal_x"].get<double>()), cell(row, "compute_s"));
    EXPECT_EQ(analysis::Cell(point["ideal_y"].get<double>()), cell(row, "bandwidth_s"));
  }
  EXPECT_EQ(amounts["first_level"], "hbm");
  ASSERT_EQ(points_of(amounts).size(), 2 * (run.rows.size() - 1));
  for (const auto& point : points_of(amounts)) {
    const analysis::KernelRow& row = run.rows[point["row"]];
    const auto launches = static_cast<double>(row.launches);
    const MemoryLevel level = *parse_memory_level(point["level"].get<std::string>());
    EXPECT_EQ(point["x"], row.work.total_flop() / launches);
    EXPECT_EQ(point["y"], row.work.bytes.at(level) / launches);
  }
}

TEST_F(Page, CaptionsCountKernelsThatAreNotDrawn) {
  const std::string section = between(html, "id=\"run1-time-plane\"", "</section>");
  EXPECT_NE(section.find("1 kernel (4.3 %"), std::string::npos) << "the collective";
  EXPECT_EQ(occurrences(section, "<circle"), 0u);
  EXPECT_NE(section.find("fill-opacity:0.25"), std::string::npos) << "measured points are open";
  // A kernel without FLOPs is on the edge and counted there.
  analysis::RunAnalysis copies = run;
  for (analysis::KernelRow& row : copies.rows) {
    if (row.operation_class != "optimizer") continue;
    row.work.flop.clear();
    row.sol.compute_s = 0;
  }
  const std::string page = render_html({{copies}, {fixture::h200()}, "", ""});
  for (const char* plane : {"id=\"run1-time-plane\"", "id=\"run1-complexity-plane\""}) {
    EXPECT_EQ(occurrences(between(page, plane, "</section>"), "1 kernel (1.4 %"), 1u) << plane;
  }
}

TEST_F(Page, WithoutKnownWorkThereAreNoPlanes) {
  analysis::RunAnalysis unknown = run;
  unknown.points.clear();
  for (analysis::KernelRow& row : unknown.rows) {
    row.origin = analysis::WorkOrigin::none;
    row.work = {};
    row.sol = {};
    row.slowdown.reset();
  }
  const std::string page = without_script(render_html({{unknown}, {}, "", ""}));
  EXPECT_EQ(occurrences(page, "class=\"plane-view\""), 0u);
  EXPECT_NE(page.find("id=\"machine1-ceilings\""), std::string::npos);
  EXPECT_NE(page.find("FLOPs and bytes are unknown"), std::string::npos) << "the advice";
}

TEST_F(Page, SummaryHasTheNumbers) {
  EXPECT_NE(lead(html).find("103&nbsp;ms"), std::string::npos) << lead(html);
  EXPECT_NE(lead(html).find("<b>113&nbsp;ms</b>"), std::string::npos) << lead(html);
  const analysis::RunUnit unit(run);
  double sol_s = unit.time_s() - unit.idle_s();
  for (const analysis::KernelRow& row : run.rows) sol_s -= row.saving_s;
  const std::string ratio =
      "<b>" +
      analysis::format_cell(unit.time_s() / sol_s, {"", "", analysis::CellFormat::ratio, "", ""}) +
      "</b>";
  EXPECT_NE(lead(html).find(ratio), std::string::npos) << ratio << " in " << lead(html);
}

TEST_F(Page, IdsAreUnique) {
  const std::string page =
      without_script(render_html({{run, run}, {fixture::h200(), fixture::h200()}, "", ""}));
  const std::regex id(" id=\"([^\"]*)\"");
  std::set<std::string> seen;
  for (auto i = std::sregex_iterator(page.begin(), page.end(), id); i != std::sregex_iterator();
       ++i) {
    EXPECT_TRUE(seen.insert((*i)[1]).second) << (*i)[1];
  }
  EXPECT_GT(seen.size(), 10u);
  EXPECT_EQ(occurrences(page, "<article"), 5u)
      << "table of runs, two runs, one machine (given twice), about the page";
}

TEST_F(Page, EscapesNames) {
  const analysis::RunAnalysis hostile = fixture::hostile_run();
  const std::string page =
      without_script(render_html({{hostile}, {}, fixture::hostile_name(), ""}));
  EXPECT_EQ(occurrences(page, "<script>alert"), 0u);
  EXPECT_EQ(occurrences(page, "<b>&"), 0u);
  EXPECT_EQ(occurrences(page, "</script>"), 1u) << "of the data island";
  EXPECT_EQ(page, valid_utf8(page));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(island_text(page).find('<'), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(island_text(page));
  EXPECT_EQ(json["sections"]["run1-rows"]["rows"]["1"]["name"], std::string(4000, '<'));
}

TEST_F(Page, NotesFollowTheAnswer) {
  analysis::RunAnalysis interrupted = run;
  interrupted.notes = {"The recording was interrupted."};
  const std::string page = render_html({{interrupted}, {}, "", ""});
  const std::size_t note = page.find("<li>The recording was interrupted.</li>");
  ASSERT_NE(note, std::string::npos);
  EXPECT_GT(note, page.find("class=\"lead\""));
  EXPECT_LT(note, page.find("class=\"roofline\""));
}

TEST(EscapeHtml, LeavesNoMarkup) {
  const std::string html = escape_html(fixture::hostile_name());
  EXPECT_EQ(html.find_first_of("<>\"'\n\x1b"), std::string::npos) << html;
  EXPECT_NE(html.find("&lt;/script&gt;&lt;!--"), std::string::npos) << html;
  EXPECT_EQ(escape_html("a & b"), "a &amp; b");
}

// Steps end with their kernels at 160, 260, 360 and 460 ns. The steps of 100 ns with a kernel of 60
// ns are typical; the first, which starts with its kernel, is not.
TEST(PageOfSteps, SummaryIsATypicalStep) {
  test::ProfileBuilder builder;
  for (int i = 0; i < 4; ++i) {
    builder.range(20 * i, 20 * i + 10, "step " + std::to_string(i));
    builder.launch(20 * i + 5, 100 + 100 * i, 160 + 100 * i, "my_kernel");
  }
  const std::string page =
      render_html({{analysis::analyze_run(builder.build(), {test::test_machine()})}, {}, "", ""});
  // The step, its idle time, and the share of its kernels.
  for (const char* number :
       {"<b>100&nbsp;ns</b>", "40.0&nbsp;ns", "40.0&nbsp;%", "other 60.0&nbsp;%"}) {
    EXPECT_NE(lead(page).find(number), std::string::npos) << number << " in " << lead(page);
  }
  EXPECT_NE(page.find("3 typical of 4"), std::string::npos);
}

TEST_F(Page, SeveralNotesTakeOneLine) {
  analysis::RunAnalysis noted = run;
  noted.notes = {"The first.", "The second."};
  const std::string page = render_html({{noted}, {}, "", ""});
  EXPECT_NE(page.find("<summary><span>2 notes</span> The first.</summary>"), std::string::npos);
  EXPECT_NE(page.find("<li>The second.</li>"), std::string::npos);
}

TEST_F(Page, AMachineWithoutRunsIsAPage) {
  const std::string page = render_html({{}, {fixture::h200()}, "", ""});
  EXPECT_NE(page.find("<h1>Roofline of NVIDIA H200</h1>"), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(island_text(page));
  EXPECT_TRUE(json["sections"].contains("machine1-roofline"));
  EXPECT_TRUE(json["sections"]["machine1-roofline"]["points"].empty());
}

TEST_F(Page, ARunWithoutAMachineHasNoFigure) {
  analysis::RunAnalysis unknown = run;
  unknown.machine.reset();
  unknown.points.clear();
  for (analysis::KernelRow& row : unknown.rows) {
    row.sol = {};
    row.slowdown.reset();
  }
  const std::string page = without_script(render_html({{unknown}, {}, "", ""}));
  EXPECT_EQ(occurrences(page, "class=\"plane-view\""), 0u);
  EXPECT_NE(page.find("id=\"run1-kernels-table\""), std::string::npos);
  EXPECT_NE(page.find("No machine model matches this device"), std::string::npos);
  EXPECT_NE(page.find("SOL time unknown"), std::string::npos)
      << "the work is known, the ceilings are not";
}

TEST_F(Page, AnEmptyReportIsStillAPage) {
  const std::string page = render_html({});
  EXPECT_NE(page.find("Empty report"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(island_text(page)));
  analysis::RunAnalysis empty;
  empty.title = "nothing";
  EXPECT_NE(render_html({{empty}, {}, "", ""}).find("The profile has no activity."),
            std::string::npos);
}

TEST_F(Page, RowsBeyondTheLimitAreCounted) {
  analysis::RunAnalysis large = run;
  large.rows.resize(1500, run.rows.back());
  const std::string page = render_html({{large}, {}, "", ""});
  const std::string table = between(page, "id=\"run1-kernels-table\"", "</table>");
  EXPECT_EQ(occurrences(table, "<tr data-row="), kMaxPageRows);
  EXPECT_NE(page.find("500 more"), std::string::npos);
  EXPECT_NE(page.find("1000 kernels"), std::string::npos);
  EXPECT_LT(page.size(), 4u << 20);
}

TEST(ScriptSafeJson, CannotEndTheElement) {
  const nlohmann::json value = {{"name", "</script><!--"}};
  const std::string safe = script_safe_json(value.dump());
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), value);
}

}  // namespace
}  // namespace mansard::reports
