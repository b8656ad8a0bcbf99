// SPDX-License-Identifier: Apache-2.0
// The strip of steps above the timeline. Times are ns.
#include "gui/views/step_strip.h"

#include <QSignalSpy>

#include "tests/gui/timeline_view_fixture.h"

namespace mansard::gui {
namespace {

class StepStripTest : public TimelineViewTest {
 protected:
  // Steps of 1 ms; number 3 takes 5 ms.
  StepStripTest() {
    test::ProfileBuilder builder;
    std::int64_t start_ns = 0;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t end_ns = start_ns + (i == 3 ? 5'000'000 : 1'000'000);
      builder.range(start_ns, end_ns, "step " + std::to_string(i));
      builder.launch(start_ns + 10'000, start_ns + 20'000, end_ns - 10'000, "my_gemm");
      start_ns = end_ns;
    }
    open(testing::prepared(builder));
  }

  StepStrip& strip() { return *view.steps(); }
  figure::TimeSpan step(std::size_t i) const {
    const analysis::Step& found = run->steps.front().steps.at(i);
    return {found.start_ns, found.end_ns};
  }
  QPoint in_bar(std::size_t i) {
    const figure::Rect box = strip().bar(i);
    return {static_cast<int>((box.left + box.right) / 2), static_cast<int>(box.bottom) - 1};
  }
};

TEST_F(StepStripTest, ABarForEachStepWithItsDuration) {
  ASSERT_TRUE(strip().isVisible());
  ASSERT_EQ(strip().count(), 8u);
  const double usual = strip().bar(1).height();
  EXPECT_NEAR(strip().bar(2).height(), usual, 1);
  EXPECT_NEAR(strip().bar(3).height(), 2 * usual, 2) << "limited to twice a typical step";
  EXPECT_TRUE(strip().text_of(1).contains(QStringLiteral("step 1")))
      << qPrintable(strip().text_of(1));
  EXPECT_TRUE(strip().text_of(1).endsWith(QStringLiteral(", typical")));
  EXPECT_TRUE(strip().text_of(3).endsWith(QStringLiteral(", not typical")));
  // The timeline is below, and its bars start with its rows.
  EXPECT_GE(scene().area().top, strip().height());
  EXPECT_EQ(strip().bar(0).left, scene().plot().left);
  // Typical steps are dark, others are not.
  const QImage image = picture();
  const QColor typical = to_qcolor(figure::surface(figure::Theme::light).compute);
  EXPECT_EQ(image.pixelColor(in_bar(1)), typical);
  EXPECT_NE(image.pixelColor(in_bar(3)), typical);
}

TEST_F(StepStripTest, AClickShowsTheStep) {
  QTest::mouseClick(&strip(), Qt::LeftButton, {}, in_bar(5));
  EXPECT_EQ(scene().window(), step(5));
  EXPECT_EQ(strip().current(), 5u);
  EXPECT_EQ(selection.filter().window, std::nullopt) << "tables keep all launches";
  QTest::mouseClick(&strip(), Qt::LeftButton, {}, {5, 10});
  EXPECT_EQ(scene().window(), step(5)) << "only the label";
}

TEST_F(StepStripTest, KeysChooseTheNeighbors) {
  QTest::mouseClick(&strip(), Qt::LeftButton, {}, in_bar(5));
  QTest::keyClick(&strip(), Qt::Key_Right);
  EXPECT_EQ(scene().window(), step(6));
  QTest::keyClick(&strip(), Qt::Key_Left);
  QTest::keyClick(&strip(), Qt::Key_Left);
  EXPECT_EQ(scene().window(), step(4));
  QTest::keyClick(&strip(), Qt::Key_End);
  QTest::keyClick(&strip(), Qt::Key_Right);
  EXPECT_EQ(scene().window(), step(7));
  // The timeline has the page's keys.
  QTest::keyClick(&view, Qt::Key_BracketLeft);
  EXPECT_EQ(scene().window(), step(6));
  QTest::keyClick(&view, Qt::Key_BracketRight);
  EXPECT_EQ(scene().window(), step(7));
}

TEST_F(StepStripTest, MarksTheStepInTheMiddle) {
  view.show_window({step(2).start_ns + 100'000, step(2).end_ns - 100'000});
  EXPECT_EQ(strip().current(), 2u);
  view.show_window(step(6));
  EXPECT_EQ(strip().current(), 6u);
}

TEST_F(StepStripTest, IsHiddenWithoutSteps) {
  test::ProfileBuilder builder;
  builder.kernel(1000, 1010, "alone");
  open(testing::prepared(builder));
  EXPECT_TRUE(strip().isHidden());
  EXPECT_EQ(strip().count(), 0u);
  QTest::keyClick(&view, Qt::Key_BracketRight);
  EXPECT_EQ(scene().area().top, 0);
  open(nullptr);
  picture();
}

}  // namespace
}  // namespace mansard::gui
