// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/graph_node_origins.h"

#include <gtest/gtest.h>

#include "collector/store/global_ids.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::int64_t node_id(std::int64_t graph, std::int64_t number) {
  return graph << 32 | number;
}

class GraphNodeOrigins : public testing::Test {
 protected:
  void create(std::int64_t id, std::int64_t thread = kMainThread) {
    b.graph_node(++time, id, 0, thread);
  }
  void clone(std::int64_t id, std::int64_t original, std::int64_t thread = kMainThread) {
    b.graph_node(++time, id, 0, thread);
    b.graph_node(++time, id, original, thread);
  }
  // Id of the node that the program created; 0: unknown.
  std::int64_t origin(std::int64_t id, std::int64_t thread = kMainThread) {
    const store::Profile profile = b.build();
    const auto found = analysis::GraphNodeOrigins(profile).of(store::process_key(thread), id);
    if (!found) return 0;
    EXPECT_EQ(profile.graph_nodes[*found].original_graph_node_id, 0);
    return profile.graph_nodes[*found].graph_node_id;
  }

  ProfileBuilder b;
  std::int64_t time = 0;
};

TEST_F(GraphNodeOrigins, FollowsClones) {
  create(node_id(1, 0));
  clone(node_id(2, 0), node_id(1, 0));  // cudaGraphClone
  clone(node_id(3, 0), node_id(2, 0));  // its instantiation
  EXPECT_EQ(origin(node_id(3, 0)), node_id(1, 0));
  EXPECT_EQ(origin(node_id(1, 0)), node_id(1, 0));
  EXPECT_EQ(origin(node_id(9, 0)), 0);
}

TEST_F(GraphNodeOrigins, AreUnknownOfNodesCreatedBeforeTheRecording) {
  clone(node_id(2, 0), node_id(1, 0));
  EXPECT_EQ(origin(node_id(2, 0)), 0);
}

TEST_F(GraphNodeOrigins, DifferByProcess) {
  constexpr std::int64_t kOtherProcess = (std::int64_t{8} << 24) | 1;
  create(node_id(1, 0));
  EXPECT_EQ(origin(node_id(1, 0), kOtherProcess), 0);
  EXPECT_EQ(origin(node_id(1, 0), kOtherThread), node_id(1, 0));
}

TEST_F(GraphNodeOrigins, CyclesOfADamagedFileEnd) {
  b.graph_node(1, 5, 6).graph_node(2, 6, 5);
  EXPECT_EQ(origin(5), 0);
}

// The records of XLA: graph 1 has a kernel and two child graphs, which were captured as graphs 2
// and 4 and copied as graphs 3 and 5. Its executable graph is 6; 7 and 8 are the child graphs'.
class ChildGraphs : public GraphNodeOrigins {
 protected:
  void instantiate(std::int64_t first_own) {
    create(node_id(1, 0));
    create(node_id(2, 0));
    create(node_id(2, 1));
    clone(node_id(3, 0), node_id(2, 0));
    clone(node_id(3, 1), node_id(2, 1));
    create(node_id(1, 1));
    create(node_id(4, 0));
    clone(node_id(5, 0), node_id(4, 0));
    create(node_id(1, 2));
    clone(node_id(6, 0), node_id(1, 0));
    clone(node_id(7, 0), node_id(3, 0));
    clone(node_id(7, 1), node_id(3, 1));
    clone(node_id(6, 1), node_id(1, 1));
    clone(node_id(8, 0), node_id(5, 0));
    clone(node_id(6, 2), node_id(1, 2));
    if (first_own > 0) create(node_id(6, first_own));
  }
};

TEST_F(ChildGraphs, HaveTheirNodesAfterTheGraphsOwn) {
  instantiate(6);
  EXPECT_EQ(origin(node_id(6, 0)), node_id(1, 0));
  EXPECT_EQ(origin(node_id(6, 3)), node_id(2, 0));
  EXPECT_EQ(origin(node_id(6, 4)), node_id(2, 1));
  EXPECT_EQ(origin(node_id(6, 5)), node_id(4, 0));
  EXPECT_EQ(origin(node_id(6, 7)), 0);
}

TEST_F(ChildGraphs, AreUnknownIfTheNumbersDoNotMatch) {
  instantiate(7);
  EXPECT_EQ(origin(node_id(6, 0)), node_id(1, 0));
  EXPECT_EQ(origin(node_id(6, 3)), 0);
}

TEST_F(ChildGraphs, AreUnknownWithoutAnEndOfTheirNumbers) {
  instantiate(0);
  EXPECT_EQ(origin(node_id(6, 3)), 0);
}

}  // namespace
}  // namespace mansard::test
