// SPDX-License-Identifier: Apache-2.0
// Predictions against published throughput: by groups of jobs, job by job, and row by row.
#include <cmath>
#include <cstdio>

#include "analyzer/predict/prediction_findings.h"

namespace mansard::analysis {
namespace {

std::int64_t rounded(double tokens_per_s) {
  return static_cast<std::int64_t>(std::llround(tokens_per_s));
}

std::string recipe_text(const PublishedStep& step) {
  std::string text(to_string(step.job.recipe));
  if (step.keep_bf16 != "none") text += ", BF16 " + step.keep_bf16;
  return text;
}

std::string spread_text(const TrainingJob& job) {
  return layout_text(job) + "; batch " + std::to_string(job.global_batch) + " in " +
         std::to_string(job.micro_batch) + " x " + std::to_string(job.sequence);
}

Table groups_table(const std::vector<PublishedStatistics>& groups) {
  Table table{"groups", "Distinct jobs by group", {}, {}};
  table.columns = {
      {"group", "group", CellFormat::text, "", "Which jobs."},
      {"jobs", "jobs", CellFormat::count, "", "How many; rows of one job count once."},
      {"mean_error", "mean error", CellFormat::fraction, "", "Predicted over published, less one."},
      {"mean_size", "mean of its size", CellFormat::fraction, "", "Of the errors without signs."},
      {"largest", "largest", CellFormat::fraction, "", "Error."},
      {"within_one_sigma", "within one sigma", CellFormat::fraction, "",
       "Share of the jobs; 68 % were the error bars exact."}};
  for (const PublishedStatistics& g : groups) {
    table.rows.push_back({g.group, static_cast<std::int64_t>(g.jobs), g.mean_error, g.mean_size,
                          g.largest, static_cast<double>(g.within_one_sigma) / g.jobs});
  }
  return table;
}

Table jobs_table(const std::vector<PublishedJob>& jobs) {
  Table table{"jobs", "Distinct jobs", {}, {}};
  table.columns = {
      {"model", "model", CellFormat::text, "", "What is trained."},
      {"machine", "machine", CellFormat::text, "", "Where."},
      {"recipe", "recipe", CellFormat::text, "", "In which formats."},
      {"spread", "spread over", CellFormat::text, "", "GPUs, parallelism and batch."},
      {"use", "use", CellFormat::text, "",
       "set: an assumption was set on it; listed: held by tests; seen: at hand while the model was "
       "made; held-out: not."},
      {"rows", "rows", CellFormat::count, "", "Published figures, of several releases."},
      {"published_tokens_per_s", "published", CellFormat::count, "",
       "Tokens a second and GPU, mean of the rows."},
      {"predicted_tokens_per_s", "predicted", CellFormat::count, "", "The same."},
      {"error", "error", CellFormat::fraction, "", "Predicted over published, less one."},
      {"sigma", "sigma", CellFormat::fraction, "", "The prediction's own error bar."}};
  for (const PublishedJob& job : jobs) {
    const PublishedStep& step = job.published();
    table.rows.push_back(
        {step.job.model.name, step.machine, recipe_text(step), spread_text(step.job), step.use,
         static_cast<std::int64_t>(job.rows.size()), rounded(job.tokens_per_s_per_gpu()),
         rounded(job.predicted().tokens_per_s_per_gpu()), job.error(), job.sigma()});
  }
  return table;
}

Table rows_table(const std::vector<PublishedComparison>& comparisons) {
  Table table{"published", "Published steps", {}, {}};
  table.columns = {
      {"model", "model", CellFormat::text, "", "What is trained."},
      {"machine", "machine", CellFormat::text, "", "Where."},
      {"recipe", "recipe", CellFormat::text, "", "In which formats."},
      {"spread", "spread over", CellFormat::text, "", "GPUs, parallelism and batch."},
      {"source", "source", CellFormat::text, "",
       "Where it was published; see published_steps.csv."},
      {"use", "use", CellFormat::text, "",
       "As above; doubtful: the stated layout cannot have run, in no statistics."},
      {"published_tokens_per_s", "published", CellFormat::count, "", "Tokens a second and GPU."},
      {"predicted_tokens_per_s", "predicted", CellFormat::count, "", "The same."},
      {"error", "error", CellFormat::fraction, "", "Predicted over published, less one."},
      {"sigma", "sigma", CellFormat::fraction, "", "The prediction's own error bar."}};
  for (const PublishedComparison& c : comparisons) {
    const PublishedStep& step = *c.published;
    table.rows.push_back(
        {step.job.model.name, step.machine, recipe_text(step), spread_text(step.job), step.source,
         step.use, rounded(step.tokens_per_s_per_gpu), rounded(c.predicted.tokens_per_s_per_gpu()),
         c.error(), c.predicted.error_s / c.predicted.step_s});
  }
  return table;
}

std::string summary_of(const PublishedStatistics& all, std::size_t rows) {
  char text[160];
  std::snprintf(text, sizeof text,
                "Mean size of the error over %d distinct jobs (%zu rows): %.1f %%. %.0f %% lie "
                "within one sigma.",
                all.jobs, rows, 100 * all.mean_size, 100.0 * all.within_one_sigma / all.jobs);
  return text;
}

}  // namespace

Finding published_finding(const std::vector<PublishedComparison>& comparisons) {
  const std::vector<PublishedJob> jobs = published_jobs(comparisons);
  const std::vector<PublishedStatistics> groups = published_statistics(jobs);
  Finding finding;
  finding.id = "published";
  finding.title = "Predicted against published throughput";
  finding.summary = summary_of(groups.front(), comparisons.size());
  finding.tables = {groups_table(groups), jobs_table(jobs), rows_table(comparisons)};
  return finding;
}

}  // namespace mansard::analysis
