#!/bin/bash
# Build in debug mode and run all tests. Installs missing Debian packages first.
# Usage: Tests/Scripts/test.sh [ARGUMENTS OF swift test]
# Without arguments, the tests of the modules without I/O run in parallel, then the others one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
Tests/Scripts/install-ical-oracle.sh
export PATH="$PWD/.build/ical-oracle/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
# Tests of servers run one at a time, because some of them measure response times.
serial=(swift test --skip-build --no-parallel --scratch-path .build)
[ $# = 0 ] || exec "${serial[@]}" "$@"
pure='^(Marquee(Model|Predictor|Scheduler|Lint|RPC|Wire|YAML|Feeds|Evaluation|Simulator)|Simulation)Tests\.'
swift test --skip-build --parallel --scratch-path .build --filter "$pure"
exec "${serial[@]}" --skip "$pure"
