#!/bin/bash
# Installs what is missing, builds everything with the thread sanitizer, and runs the tests of sockets and whole servers.
# Usage: Deploy/threads.sh [FILTER]
# Ends with an error when a test fails, which those that measure time may, or when two threads race; what the sanitizer
# says of that is in .build-threads/found.
set -uo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh || exit
found=$PWD/.build-threads/found
swift build --build-tests --sanitize thread --scratch-path .build-threads || exit
rm -rf "$found" && mkdir -p "$found"
# The servers that the tests start write there as well.
TSAN_OPTIONS="log_path=$found/race suppressions=$PWD/Deploy/threads.supp" SWIFT_BACKTRACE=enable=no \
  swift test --skip-build --no-parallel --sanitize thread --scratch-path .build-threads \
  --skip RestartTests --filter "${1:-MarqueeTransportTests|MarqueeRuntimeTests|IntegrationTests}"
status=$?
races=$(cat "$found"/* 2>/dev/null | grep -c 'SUMMARY: ThreadSanitizer')
cat "$found"/* 2>/dev/null | grep 'SUMMARY: ThreadSanitizer' | sort | uniq -c
echo "$races races"
[ "$status" = 0 ] && [ "$races" = 0 ]
