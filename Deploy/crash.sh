#!/bin/bash
# Installs what is missing, builds, and kills a loaded server again and again: what it acknowledged must be there.
# Usage: Deploy/crash.sh [ROUNDS [SEED]]
# Each round follows from a seed, the first from SEED (1 if not given); a failed one names its own.
set -euo pipefail
cd "$(dirname "$0")/.."
export MARQUEE_CRASH_ROUNDS=${1:-300} MARQUEE_CRASH_SEED=${2:-1}
Deploy/setup.sh
swift build --build-tests --scratch-path .build
Deploy/tally.sh CrashTests
