#!/bin/bash
# Build in debug mode and run all tests. Installs missing Debian packages first.
# Usage: Tests/Scripts/test.sh [ARGUMENTS OF swift test]
# Without arguments, several processes run at the same time, each with a part of the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/build-debug.sh
Tests/Scripts/install-ical-oracle.sh
Tests/Scripts/install-postgres.sh
export PATH="$PWD/.build/ical-oracle/bin:$PATH"
# One test at a time in each process, because tests of servers measure response times and others have time limits.
[ $# = 0 ] || exec swift test --skip-build --no-parallel --scratch-path .build "$@"

# Tests that measure response times or wait for the server's time limits; others of whole servers; and those of storage,
# in two parts.
measuring='^(MarqueeTransport|MarqueePrometheus)Tests\.'
measuring+='|^IntegrationTests\.(BadInput|Clock|Completion|Daemon|Disk|Display|Heartbeat|LaggingEvent|Limit|Metrics|Phrase'
measuring+='|Progress|QueryCommand|Readability|SlowClient|SurfaceWatch|TopCommand)Tests'
servers='^IntegrationTests\.'
conformance='^JournalConformanceTests\.'
storage='^(MarqueeStore|MarqueePostgres|MarqueeRuntime)Tests\.'
# Modules without I/O, with the simulation that takes the most time; and the other simulations.
pure='^Marquee(Model|Predictor|Scheduler|Lint|RPC|HTTP|Schema|Cards|Wire|YAML|Feeds|Evaluation|Simulator)Tests\.'
pure+='|^SimulationTests\.ReferenceSchedulerTests'
simulations='^SimulationTests\.'

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
processes=()
# Runs tests in a process of their own. `swift test` would open the build database, which two processes cannot do at the
# same time.
run() { # NICENESS ARGUMENTS
  NO_COLOR=1 nice -n "$1" env --default-signal .build/debug/marqueePackageTests.xctest --testing-library swift-testing \
    --no-parallel "${@:2}"
}
# The other tests give way to those that measure response times, and computations to all.
run 19 --filter "$pure" >"$logs/pure" 2>&1 &
processes+=($!)
run 19 --filter "$simulations" --skip "$pure" >"$logs/simulations" 2>&1 &
processes+=($!)
run 10 --filter "$servers" --skip "$measuring" >"$logs/servers" 2>&1 &
processes+=($!)
run 10 --filter "$conformance" >"$logs/conformance" 2>&1 &
processes+=($!)
run 10 --filter "$storage" >"$logs/storage" 2>&1 &
processes+=($!)
run 10 --skip "$measuring|$servers|$conformance|$storage|$pure|$simulations" >"$logs/others" 2>&1 &
processes+=($!)
status=0
run 0 --filter "$measuring" || status=1
for process in "${processes[@]}"; do wait "$process" || status=1; done
cat "$logs"/*
exit $status
