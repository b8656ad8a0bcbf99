// SPDX-License-Identifier: Apache-2.0
// Tables of the training record: losses, and the numerics of operands.
#pragma once

#include <string>
#include <vector>

#include "analyzer/numerics/operand_series.h"
#include "kernels/annotation/training_annotation.h"

namespace mansard::analysis {

// A column of losses, in nats.
Column loss_column(std::string key, std::string label, std::string description);

// One row: length and end of the training. No rows if the curve is empty.
Table training_table(const std::vector<kernels::TrainingProgress>& curve);

// All steps; the chart shows the losses.
Table losses_table(const std::vector<kernels::TrainingProgress>& curve);

// One row per operand of `series`, at most `most`, in their order.
Table tensors_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                    std::size_t most = static_cast<std::size_t>(-1));

// One row per group.
Table groups_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                   const std::vector<OperandGroup>& groups);

// The SNR of each group by step: the median over layers, and its range. The chart shows the groups
// with the lowest SNR.
Table snr_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                const std::vector<OperandGroup>& groups);

}  // namespace mansard::analysis
