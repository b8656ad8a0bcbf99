// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks_finding.h"

#include <algorithm>

#include "analyzer/ranks/rank_tables.h"
#include "analyzer/row_totals.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr std::size_t kAdvice = 3;
constexpr std::size_t kCauses = 2;      // of a slow rank
constexpr double kMuchWaiting = 0.02;   // of a step
constexpr double kMuchTransfer = 0.05;  // of a step
constexpr std::size_t kShownRanks = 7;  // in the overview
constexpr std::size_t kShownAdvice = 2;
constexpr std::size_t kShownProblems = 4;
constexpr std::size_t kShownCollectives = 2;
constexpr int kOneLine = 94;  // columns, with the number of a list

std::string share_of_step(const JobRanks& job, double time_s) {
  return format_si(time_s, "s") + " (" + format_percent(time_s / job.step_s) + ")";
}

// "per step", or of the profile.
std::string per(const JobRanks& job) { return job.by_step ? " per step" : ""; }

std::string place(const JobRanks& job, const JobRank& rank) {
  const RankSummary& summary = job.summaries[rank.index];
  return "rank " + std::to_string(rank.rank) + " (" + summary.host + ", GPU " +
         std::to_string(summary.device_id) + ")";
}

std::string causes_text(const JobRank& rank) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kCauses, rank.causes.size()); ++i) {
    text +=
        (i == 0 ? "" : ", ") + rank.causes[i].name + " +" + format_si(rank.causes[i].excess_s, "s");
  }
  return text;
}

// Advice on the largest cause.
std::string remedy_of(const JobRank& rank) {
  if (rank.causes.empty()) return "";
  const PartExcess& cause = rank.causes.front();
  if (cause.idle) return cause.remedy;
  if (cause.memcpy) {
    return "Check that its transfers use pinned memory, the NUMA node of its GPU and the full PCIe "
           "link (nvidia-smi -q).";
  }
  if (rank.more_work) {
    return "It launches " + format_percent(*rank.more_work - 1) +
           " more kernels than the median rank: balance the work between ranks.";
  }
  if (rank.slow_clock) {
    return "Its SM clock is " + format_percent(1 - *rank.slow_clock) +
           " below the median: check its temperature and power limit (nvidia-smi -q -d "
           "PERFORMANCE).";
  }
  return "The same kernels take longer: check its clock, temperature and ECC errors (nvidia-smi "
         "-q), "
         "and whether other processes use the GPU; or its input is larger.";
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

// Slow ranks on hosts without others: the host is the likely cause.
std::string slow_hosts(const JobRanks& job) {
  const Table hosts = hosts_table(job);
  std::string names;
  for (const std::vector<Cell>& row : hosts.rows) {
    const std::int64_t ranks = std::get<std::int64_t>(row[1]);
    const std::int64_t slow = std::get<std::int64_t>(row[4]);
    if (ranks < 2 || slow < ranks || slow == static_cast<std::int64_t>(job.compared)) continue;
    const std::string* host = std::get_if<std::string>(&row[0]);
    if (host != nullptr) names += (names.empty() ? "" : ", ") + *host;
  }
  return names;
}

std::vector<std::string> advice_of(const JobRanks& job) {
  std::vector<std::string> lines;
  if (job.compared < 2) return lines;
  const std::string save = "Save up to " + share_of_step(job, job.saving_s) + per(job) +
                           (job.slow.size() > 1 ? " with all slow ranks: " : ": ");
  if (const std::string hosts = slow_hosts(job); !hosts.empty()) {
    lines.push_back("All ranks of " + hosts +
                    " are slow: check the host before its ranks (CPU, cooling, network, storage).");
  }
  for (const std::size_t i : job.slow) {
    if (lines.size() == kAdvice) break;
    const JobRank& rank = job.ranks[i];
    const std::string causes = causes_text(rank);
    lines.push_back(capitalized(place(job, rank)) + " needs " + share_of_step(job, rank.excess_s) +
                    per(job) + " more than the median rank" +
                    (causes.empty() ? "" : ": " + causes) + ". " + remedy_of(rank));
  }
  if (!lines.empty()) {
    lines.front() = save + lines.front();
    return lines;
  }
  if (job.aligned && job.wait_s > kMuchWaiting * job.step_s) {
    lines.push_back("No rank is slow in most steps, but ranks wait " +
                    share_of_step(job, job.wait_s) + per(job) +
                    " for each other: look for work that varies from step to step, such as data "
                    "loading, garbage collection, or inputs of different length.");
  }
  const double transfer_s = job.exposed_s - job.wait_s;
  if (job.aligned && transfer_s > kMuchTransfer * job.step_s) {
    lines.push_back("Transfers are exposed for " + share_of_step(job, transfer_s) + per(job) +
                    ": start collectives earlier (bucket size, prefetching of parameters), or "
                    "reduce their bytes.");
  }
  return lines;
}

Table list_of(const std::string& id, const std::string& title,
              const std::vector<std::string>& lines) {
  Table table{id, title, {{id, id, CellFormat::text, "", ""}}, {}};
  for (const std::string& line : lines) table.rows.push_back({line});
  return table;
}

std::vector<std::string> problem_lines(const JobRanks& job, std::size_t most) {
  std::vector<std::string> lines;
  for (const JobProblem& problem : job.problems) {
    if (lines.size() == most) break;
    lines.push_back(problem_text(problem));
  }
  return lines;
}

std::string job_step_text(const JobRanks& job) {
  if (job.compared == 0) {
    return "Step times are not available: see the problems.";
  }
  std::string text =
      job.by_step ? "A typical step takes " : "No steps were found. A profile takes ";
  text += format_si(job.step_s, "s") + " on the median rank";
  if (job.compared < 2) return text + ".";
  const auto slowest = std::ranges::max_element(
      job.ranks, {}, [](const JobRank& rank) { return rank.compared ? rank.own_s : -1; });
  text += ", " + format_si(job.own_s, "s") + " of it own time (without exposed communication).";
  if (job.slow.empty()) {
    return text + " No rank holds the others up in most steps: rank " +
           std::to_string(slowest->rank) + " has the longest own time, +" +
           share_of_step(job, slowest->excess_s) + ".";
  }
  text += ' ' + capitalized(place(job, *slowest)) + " holds the job up: own time +" +
          share_of_step(job, slowest->excess_s);
  const RankArrivals& arrivals = job.arrivals.ranks[slowest->index];
  if (arrivals.matched > 0) {
    text +=
        ", last to start " +
        format_percent(static_cast<double>(arrivals.last) / static_cast<double>(arrivals.matched)) +
        " of its collectives";
  }
  if (job.slow.size() > 1) {
    std::vector<int> ranks;
    for (const std::size_t i : job.slow) ranks.push_back(job.ranks[i].rank);
    std::ranges::sort(ranks);
    text += "; " + ranks_text(ranks) + " are slow";
  }
  return text + ".";
}

std::string waiting_text(const JobRanks& job) {
  if (job.compared < 2) return "";
  const std::string hidden = "; " + format_si(job.hidden_s, "s") + " is hidden behind kernels";
  if (!job.aligned) {
    return " Communication is exposed for " + share_of_step(job, job.exposed_s) + per(job) +
           hidden +
           ". Waiting for other ranks is not available, because the clocks cannot be aligned: " +
           (job.no_clocks.empty() ? "no collective in typical steps could be matched"
                                  : job.no_clocks) +
           ".";
  }
  return " On average, a rank waits " + share_of_step(job, job.wait_s) + per(job) +
         " for the last rank to start a collective while no kernel computes; transfers are exposed "
         "for " +
         share_of_step(job, job.exposed_s - job.wait_s) + hidden + ".";
}

Finding answer_of(const JobRanks& job) {
  Finding finding;
  finding.id = "job";
  finding.title = format_number_of(static_cast<std::int64_t>(job.summaries.size()), "rank") +
                  " on " + format_number_of(job.hosts, "host") + ": " + job.command;
  finding.summary = job_step_text(job) + waiting_text(job);
  return finding;
}

std::string clocks_summary(const JobRanks& job) {
  if (job.clocks.aligned == 0) {
    return "The clocks are not aligned" + (job.no_clocks.empty() ? "" : ": " + job.no_clocks) +
           ". Nothing is compared across clocks.";
  }
  return format_number_of(static_cast<std::int64_t>(job.clocks.aligned), "rank") + " of " +
         format_whole(static_cast<std::int64_t>(job.summaries.size())) +
         " are on one clock, by the simultaneous ends of collectives. These scatter around the fit "
         "by " +
         format_si(1e-9 * job.clocks.median_scatter_ns, "s") + " (median), at most " +
         format_si(1e-9 * job.clocks.largest_scatter_ns, "s") + ".";
}

}  // namespace

std::vector<Finding> job_findings(const JobRanks& job) {
  std::vector<Finding> findings = {answer_of(job)};
  Finding& answer = findings.front();
  if (const auto advice = advice_of(job); !advice.empty()) {
    answer.tables.push_back(list_of("advice", "What to change first", advice));
  }
  if (!job.problems.empty()) {
    answer.tables.push_back(
        list_of("incomplete", "Incomplete or unequal", problem_lines(job, job.problems.size())));
  }
  Finding ranks{.id = "ranks", .title = "Ranks", .summary = "", .tables = {ranks_table(job)}};
  if (job.compared > 0) ranks.tables.push_back(spread_table(job));
  if (job.hosts > 1 && job.compared > 0) ranks.tables.push_back(hosts_table(job));
  findings.push_back(std::move(ranks));
  if (!job.steps.empty()) {
    findings.push_back(
        {.id = "steps", .title = "Steps", .summary = "", .tables = {job_steps_table(job)}});
  }
  if (!job.arrivals.collectives.empty()) {
    findings.push_back({.id = "collectives",
                        .title = "Collectives",
                        .summary = "From " + format_whole(job.arrivals.matched) +
                                   " sampled collectives in typical steps.",
                        .tables = {skew_table(job)}});
  }
  findings.push_back({.id = "clocks",
                      .title = "Clocks and profiles",
                      .summary = clocks_summary(job),
                      .tables = {clocks_table(job), profiles_table(job)}});
  if (!job.problems.empty()) findings.back().tables.push_back(problems_table(job));
  return findings;
}

Finding job_overview(const JobRanks& job) {
  Finding finding = answer_of(job);
  if (auto advice = advice_of(job); !advice.empty()) {
    advice.resize(std::min(advice.size(), kShownAdvice));
    finding.tables.push_back(list_of("advice", "What to change first", advice));
  }
  if (!job.problems.empty()) {
    std::vector<std::string> lines = problem_lines(job, kShownProblems);
    for (std::string& line : lines) line = truncate_middle(line, kOneLine);
    const auto all = static_cast<std::int64_t>(job.problems.size());
    const auto shown = static_cast<std::int64_t>(lines.size());
    std::string title = "Incomplete or unequal";
    if (shown < all) title += " (" + format_whole(shown) + " of " + format_whole(all) + ")";
    finding.tables.push_back(list_of("incomplete", title, lines));
  }
  if (job.compared > 0) finding.tables.push_back(extreme_ranks_table(job, kShownRanks));
  if (!job.arrivals.collectives.empty()) {
    Table skew = skew_table(job);
    if (skew.rows.size() > kShownCollectives) skew.rows.resize(kShownCollectives);
    finding.tables.push_back(std::move(skew));
  }
  return finding;
}

}  // namespace mansard::analysis
