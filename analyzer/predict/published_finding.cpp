// SPDX-License-Identifier: Apache-2.0
// Compares predictions with published throughput by group of jobs, by job, and by row.
#include <cmath>
#include <cstdio>

#include "analyzer/predict/prediction_findings.h"
#include "support/units.h"

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
  return layout_text(job) + "; batch " + format_whole(job.global_batch) + " in " +
         format_whole(job.micro_batch) + " x " + format_whole(job.sequence);
}

Table groups_table(const std::vector<PublishedStatistics>& groups) {
  Table table{"groups", "Distinct jobs by group", {}, {}};
  table.columns = {
      {"group", "group", CellFormat::text, "", "Group of jobs."},
      {"jobs", "jobs", CellFormat::count, "", "Number of jobs; all rows of a job count once."},
      {"mean_error", "mean error", CellFormat::fraction, "",
       "Predicted / published throughput - 1.", true},
      {"mean_size", "mean absolute error", CellFormat::fraction, "",
       "Mean absolute value of the error."},
      {"largest", "largest error", CellFormat::fraction, "",
       "Error with the largest absolute value."},
      {"within_one_sigma", "within one sigma", CellFormat::fraction, "",
       "Share of jobs with an absolute error up to sigma; 68 % if the error bars are exact."}};
  for (const PublishedStatistics& g : groups) {
    table.rows.push_back({g.group, static_cast<std::int64_t>(g.jobs), g.mean_error, g.mean_size,
                          g.largest, static_cast<double>(g.within_one_sigma) / g.jobs});
  }
  return table;
}

Table jobs_table(const std::vector<PublishedJob>& jobs) {
  Table table{"jobs", "Distinct jobs", {}, {}};
  table.columns = {
      {"model", "model", CellFormat::text, "", "Trained model."},
      {"machine", "machine", CellFormat::text, "", "Target machine."},
      {"recipe", "recipe", CellFormat::text, "", "Precision recipe."},
      {"spread", "layout", CellFormat::text, "", "GPUs, parallelism and batch."},
      {"use", "use", CellFormat::text, "",
       "set: an assumption was fitted to it; listed: checked by tests; seen: known while the model "
       "was developed; held-out: looked up afterwards."},
      {"rows", "rows", CellFormat::count, "", "Number of published results (software releases)."},
      {"published_tokens_per_s", "published", CellFormat::count, "",
       "Tokens per second and GPU, mean of the rows."},
      {"predicted_tokens_per_s", "predicted", CellFormat::count, "", "Tokens per second and GPU."},
      {"error", "error", CellFormat::fraction, "", "Predicted / published throughput - 1.", true},
      {"sigma", "sigma", CellFormat::fraction, "",
       "Relative error bar of the prediction (one sigma)."}};
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
      {"model", "model", CellFormat::text, "", "Trained model."},
      {"machine", "machine", CellFormat::text, "", "Target machine."},
      {"recipe", "recipe", CellFormat::text, "", "Precision recipe."},
      {"spread", "layout", CellFormat::text, "", "GPUs, parallelism and batch."},
      {"source", "source", CellFormat::text, "", "Publication; see published_steps.csv."},
      {"use", "use", CellFormat::text, "",
       "As above; doubtful: the stated layout cannot have run; not in the statistics."},
      {"published_tokens_per_s", "published", CellFormat::count, "", "Tokens per second and GPU."},
      {"predicted_tokens_per_s", "predicted", CellFormat::count, "", "Tokens per second and GPU."},
      {"error", "error", CellFormat::fraction, "", "Predicted / published throughput - 1.", true},
      {"sigma", "sigma", CellFormat::fraction, "",
       "Relative error bar of the prediction (one sigma)."}};
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
  std::snprintf(
      text, sizeof text,
      "Mean absolute error over %d distinct jobs (%zu rows): %.1f %%. %.0f %% of the jobs are "
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
  finding.title = "Predicted vs. published throughput";
  finding.summary = summary_of(groups.front(), comparisons.size());
  finding.tables = {groups_table(groups), jobs_table(jobs), rows_table(comparisons)};
  return finding;
}

}  // namespace mansard::analysis
