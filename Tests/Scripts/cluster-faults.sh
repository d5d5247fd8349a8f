#!/bin/bash
# Build in debug mode and run clusters of three servers on a PostgreSQL server of the tests under faults: nodes are
# killed, stopped and shut down, sessions are ended, and PostgreSQL is killed and started again, while clients write and
# read. Then compare their calls with the journal, and verify it. Installs missing Debian packages first.
# Usage: Tests/Scripts/cluster-faults.sh [ROUNDS [SEED]]
# The faults of each round are derived from a seed; the first seed is SEED (default: 1). A failed round prints its seed.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/install-postgres.sh
export MARQUEE_CLUSTER_ROUNDS=${1:-20} MARQUEE_CLUSTER_SEED=${2:-1}
Tests/Scripts/build-debug.sh
Tests/Scripts/run-tests-with-totals.sh ClusterFaultTests
