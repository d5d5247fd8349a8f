#!/bin/bash
# Build in debug mode and run clusters of three servers on PostgreSQL with a synchronous standby under faults, while
# clients write and read. Nodes are killed, stopped (also within a commit) and shut down; PostgreSQL is killed, its
# standby promoted, its disk filled, and its sessions are ended; the networks between nodes and the database, and
# between nodes, are slow, or cut in one direction or both. Then compare the calls with the journal, and verify it.
# Installs missing Debian packages first. As root, in namespaces of its own, so that no process and no mount is left.
# Usage: Tests/Scripts/cluster-faults.sh [ROUNDS [SEED [FAULT...]]]
# The faults of each round are derived from a seed; the first seed is SEED (default: 1). Each round prints its seed and
# its faults; with names of faults, it chooses from these.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/install-postgres.sh
export MARQUEE_CLUSTER_ROUNDS=${1:-20} MARQUEE_CLUSTER_SEED=${2:-1} MARQUEE_CLUSTER_FAULTS="${*:3}"
Tests/Scripts/build-debug.sh
namespaces=(unshare --mount --pid --fork --kill-child --mount-proc)
"${namespaces[@]}" true 2>/dev/null || namespaces=()
"${namespaces[@]}" Tests/Scripts/run-tests-with-totals.sh ClusterFaultTests
