// SPDX-License-Identifier: Apache-2.0
// Which rows of an embedding are saved between two full checkpoints, as in CPR (arXiv 2011.02999):
// most accesses of a row change it, and few rows have most accesses, so that saving these rows more
// often keeps most of the progress for the same number of bytes. AdamW moves a row
// about as far for few accesses as for many, and for some steps after the last one, which only SCAR
// takes into account.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/training/row_table.h"

namespace mansard::kernels {

enum class RowPriority {
  mfu,   // CPR-MFU: the rows with the most accesses since they were last saved
  ssu,   // CPR-SSU: rows among every second access; random ones are dropped if they are too many
  scar,  // SCAR (Qiao et al., ICML 2019): the rows that changed most since they were last saved, in
         // the Euclidean norm; keeps a copy of the table on the host
};
std::string_view to_string(RowPriority priority);
std::optional<RowPriority> parse_row_priority(std::string_view key);

struct RowPriorityOptions {
  RowPriority priority = RowPriority::mfu;
  // Rows of a file / rows of the table, above 0 and up to 1. With a file after every `share` of the
  // interval of full checkpoints, files have about as many bytes of the table as these.
  double share = 0.125;
  std::uint64_t seed = 1;  // of the rows that SSU drops
};

// Chooses rows of a table. Equal calls lead to equal rows.
class RowSelection {
 public:
  virtual ~RowSelection() = default;

  // A step has read these rows; a row counts as often as it is there. Throws std::out_of_range for
  // a row that the table does not have.
  virtual void access(const std::int32_t* rows, std::int64_t count) = 0;
  // The rows to save: share x rows of the table, rounded up, in ascending order and all different.
  virtual std::vector<std::int32_t> choose() = 0;
  // The result of choose() has been saved.
  virtual void saved(const std::vector<std::int32_t>& rows) = 0;
  // All rows have been saved or loaded.
  virtual void all_saved() = 0;
};

// Throws std::invalid_argument if the share is impossible. The memory of the table must outlive the
// result.
std::unique_ptr<RowSelection> make_row_selection(const RowPriorityOptions& options,
                                                 const RowTable& table);

}  // namespace mansard::kernels
