#!/bin/bash
# Build in debug mode and kill a loaded server repeatedly: acknowledged data must survive. Installs missing Debian
# packages first.
# Usage: Tests/Scripts/crash-recovery.sh [--store postgres] [ROUNDS [SEED]]
# With --store postgres, the devices are in a PostgreSQL server of the tests, which is not killed.
# Each round is derived from a seed; the first seed is SEED (default: 1). A failed round prints its seed.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1-}" = --store ]; then
  [ "${2-}" = postgres ] || { echo "crash-recovery.sh: --store takes \"postgres\"" >&2; exit 2; }
  export MARQUEE_CRASH_STORE=postgres
  shift 2
fi
export MARQUEE_CRASH_ROUNDS=${1:-300} MARQUEE_CRASH_SEED=${2:-1}
Tests/Scripts/build-debug.sh
Tests/Scripts/run-tests-with-totals.sh CrashTests
