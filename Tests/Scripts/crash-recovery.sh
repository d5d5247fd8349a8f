#!/bin/bash
# Build in debug mode and kill a loaded server repeatedly: acknowledged data must survive. Installs missing Debian
# packages first.
# Usage: Tests/Scripts/crash-recovery.sh [ROUNDS [SEED]]
# Each round is derived from a seed; the first seed is SEED (default: 1). A failed round prints its seed.
set -euo pipefail
cd "$(dirname "$0")/../.."
export MARQUEE_CRASH_ROUNDS=${1:-300} MARQUEE_CRASH_SEED=${2:-1}
Deploy/setup.sh
swift build --build-tests --scratch-path .build
Tests/Scripts/run-tests-with-totals.sh CrashTests
