#!/bin/bash
# Build in debug mode and run all tests. Installs missing Debian packages first.
# Usage: Tests/Scripts/test.sh [ARGUMENTS OF swift test]
# Without arguments, three processes run at the same time: the tests of modules without I/O, the simulations, and the
# others, which mostly wait.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
Tests/Scripts/install-ical-oracle.sh
Tests/Scripts/install-postgres.sh
export PATH="$PWD/.build/ical-oracle/bin:$PATH"
swift build --build-tests --scratch-path .build --explicit-target-dependency-import-check error
# One test at a time in each process, because tests of servers measure response times and others have time limits.
[ $# = 0 ] || exec swift test --skip-build --no-parallel --scratch-path .build "$@"
# `swift test` opens the build database, which two processes cannot do at the same time.
serial=(env --default-signal NO_COLOR=1 .build/debug/marqueePackageTests.xctest --testing-library swift-testing --no-parallel)
pure='^Marquee(Model|Predictor|Scheduler|Lint|RPC|HTTP|Schema|Cards|Wire|YAML|Feeds|Evaluation|Simulator)Tests\.'
simulations='^SimulationTests\.'
# The simulation that takes the most time runs after the tests of modules, so that both processes take equally long.
longest='^SimulationTests\.ReferenceSchedulerTests'
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
# The computations give way to the other tests, which measure response times.
nice -n 19 "${serial[@]}" --filter "$pure" --filter "$longest" >"$logs/pure" 2>&1 &
computing=($!)
nice -n 19 "${serial[@]}" --filter "$simulations" --skip "$longest" >"$logs/simulations" 2>&1 &
computing+=($!)
"${serial[@]}" --skip "$pure" --skip "$simulations" || status=1
for process in "${computing[@]}"; do wait "$process" || status=1; done
cat "$logs"/*
exit $status
