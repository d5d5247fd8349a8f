#!/bin/bash
# Build with the thread sanitizer and run the tests of sockets and whole servers. Installs missing Debian packages
# first.
# Usage: Tests/Scripts/tsan.sh [FILTER]
# Fails if a test fails, which tests that measure time may, or if a data race is found; the sanitizer's reports are in
# .build-threads/found.
set -uo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh || exit
found=$PWD/.build-threads/found
swift build --build-tests --sanitize thread --scratch-path .build-threads || exit
rm -rf "$found" && mkdir -p "$found"
# Servers started by the tests write their reports there too.
TSAN_OPTIONS="log_path=$found/race suppressions=$PWD/Tests/Scripts/tsan.supp" SWIFT_BACKTRACE=enable=no \
  swift test --skip-build --no-parallel --sanitize thread --scratch-path .build-threads \
  --skip RestartTests --filter "${1:-MarqueeTransportTests|MarqueeRuntimeTests|IntegrationTests}"
status=$?
races=$(cat "$found"/* 2>/dev/null | grep -c 'SUMMARY: ThreadSanitizer')
cat "$found"/* 2>/dev/null | grep 'SUMMARY: ThreadSanitizer' | sort | uniq -c
echo "$races races"
[ "$status" = 0 ] && [ "$races" = 0 ]
