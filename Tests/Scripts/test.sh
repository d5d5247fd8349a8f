#!/bin/bash
# Build in debug mode and run all tests. Installs missing Debian packages first.
# Usage: Tests/Scripts/test.sh [ARGUMENTS OF swift test]
# Without arguments, the tests of modules without I/O and the simulations run in two processes at the same time, then
# the others.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
Tests/Scripts/install-ical-oracle.sh
export PATH="$PWD/.build/ical-oracle/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
# One test at a time in each process, because tests of servers measure response times and others have time limits.
serial=(swift test --skip-build --no-parallel --scratch-path .build)
[ $# = 0 ] || exec "${serial[@]}" "$@"
pure='^Marquee(Model|Predictor|Scheduler|Lint|RPC|Wire|YAML|Feeds|Evaluation|Simulator)Tests\.'
simulations='^SimulationTests\.'
# The simulation that takes the most time runs after the tests of modules, so that both processes take equally long.
longest='^SimulationTests\.ReferenceSchedulerTests'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"${serial[@]}" --ignore-lock --filter "$simulations" --skip "$longest" >"$log" 2>&1 &
simulating=$!
# Two processes that open the build database at the same time fail.
while kill -0 $simulating 2>/dev/null && ! grep -q 'Test run started' "$log"; do sleep 0.2; done
"${serial[@]}" --ignore-lock --filter "$pure" --filter "$longest" || status=1
wait $simulating || status=1
cat "$log"
"${serial[@]}" --skip "$pure" --skip "$simulations" || status=1
exit $status
