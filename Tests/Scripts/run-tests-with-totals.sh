#!/bin/bash
# Run built tests and print the totals of their "N passed, N failed" lines: "61 passed, 0 failed".
# Usage: Tests/Scripts/run-tests-with-totals.sh FILTER
set -uo pipefail
cd "$(dirname "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Without `swift test`, which would keep other scripts from building.
NO_COLOR=1 env --default-signal .build/debug/marqueePackageTests.xctest --testing-library swift-testing --no-parallel \
  --filter "$1" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
sums=$(awk 'match($0, /[0-9]+ passed, [0-9]+ failed$/) {
    split(substr($0, RSTART), words, " ")
    passed += words[1]
    failed += words[3]
  }
  END { print passed + 0, failed + 0 }' "$log")
read -r passed failed <<<"$sums"
# A failure outside of the rounds counts as one.
[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
