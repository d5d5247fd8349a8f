#!/bin/bash
# Build in debug mode, and move the shard of a watched device back and forth between the nodes of a cluster of three
# servers on a PostgreSQL server of the tests, under a light load; then restart the server of a device that is watched
# at another one. Print for how long the display showed no changes: the median, the 99th percentile and the maximum, and
# the number of changes that it has never shown. Installs missing Debian packages first.
# Usage: Tests/Scripts/cluster-moves.sh [COUNT [RESTARTS]]
# COUNT is the number of moves for each of two displays: one at a server that passes on, and one at a server that has
# the device half of the time (default: 100). RESTARTS is the number of restarts (default: 10). Fails if a change was
# not shown, a call failed or, of at least 100 moves, the 99th percentile is above 250 ms.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/install-postgres.sh
export MARQUEE_CLUSTER_MOVES=${1:-100} MARQUEE_CLUSTER_RESTARTS=${2:-10}
Tests/Scripts/build-debug.sh
Tests/Scripts/run-tests-with-totals.sh ClusterMoveTimeTests
