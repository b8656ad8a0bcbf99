// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/machine_table.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "reports/formats/format.h"
#include "tests/analyzer/table_cells.h"
#include "tests/reports/fixture.h"

namespace mansard::reports {
namespace {

using test::cell;

TEST(MachineFinding, HasEveryCeilingOnceByFallingValue) {
  const roofline::MachineModel model = fixture::h200();
  const analysis::Finding finding = machine_finding(model);
  ASSERT_EQ(finding.tables.size(), 3u);
  std::size_t rows = 0;
  for (const analysis::Table& table : finding.tables) {
    rows += table.rows.size();
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  }
  EXPECT_EQ(rows, model.devices[0].ceilings.size());
  EXPECT_EQ(cell(finding.tables[0], 0, "ceiling"), analysis::Cell{std::string("FP8 E4M3")});
  EXPECT_EQ(cell(finding.tables[0], 0, "flop_per_s"), analysis::Cell{1769e12});
  EXPECT_EQ(cell(finding.tables[1], 0, "bytes_per_s"), analysis::Cell{28.4e12});
  EXPECT_EQ(cell(finding.tables[2], 0, "time_s"), analysis::Cell{2.45e-6});
}

TEST(MachineFinding, PublishedFiguresHaveNoSpreadAndNameTheirSource) {
  roofline::MachineModel model = fixture::h200();
  model.provenance.origin = roofline::Origin::datasheet;
  model.provenance.source = "NVIDIA H200 datasheet";
  for (roofline::Ceiling& c : model.devices[0].ceilings) c.source = "datasheet, page 2";
  const analysis::Finding finding = machine_finding(model);
  EXPECT_NE(finding.summary.find("not measured: NVIDIA H200 datasheet"), std::string::npos);
  EXPECT_THROW(cell(finding.tables[0], 0, "spread"), std::out_of_range);
  EXPECT_EQ(cell(finding.tables[0], 0, "origin"), analysis::Cell{std::string("datasheet")});
  EXPECT_EQ(cell(finding.tables[0], 0, "kernel"), analysis::Cell{std::string("datasheet, page 2")});
}

TEST(MachineFinding, DevicesKeepTheirTablesApart) {
  roofline::MachineModel model = fixture::h200();
  model.devices.push_back(model.devices[0]);
  const analysis::Finding finding = machine_finding(model);
  ASSERT_EQ(finding.tables.size(), 6u);
  EXPECT_EQ(finding.tables[0].id, "compute");
  EXPECT_EQ(finding.tables[3].id, "compute_2");
}

TEST(MachineFinding, ReturnsTheCeilingsOfItsRows) {
  roofline::MachineModel model = fixture::h200();
  model.devices.push_back(model.devices[0]);
  const analysis::Finding finding = machine_finding(model);
  for (std::size_t t = 0; t < finding.tables.size(); ++t) {
    const analysis::Table& table = finding.tables[t];
    const roofline::DeviceModel& device = model.devices[t / 3];
    const std::vector<const roofline::Ceiling*> behind = ceilings_behind(table, device);
    ASSERT_EQ(behind.size(), table.rows.size());
    for (std::size_t i = 0; i < behind.size(); ++i) {
      EXPECT_EQ(table.rows[i][1], analysis::Cell{behind[i]->value}) << table.id;
    }
  }
  EXPECT_TRUE(ceilings_behind(analysis::Table{"kernels", "", {}, {}}, model.devices[0]).empty());
}

TEST(MachineFinding, FitsAnEightyColumnTerminal) {
  const std::string text =
      render({machine_finding(fixture::h200())}, Format::table, {.width = 80, .max_rows = 0});
  EXPECT_NE(text.find("1.77 PFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("4.05 TB/s"), std::string::npos) << text;
}

}  // namespace
}  // namespace mansard::reports
