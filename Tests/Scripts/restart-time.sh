#!/bin/bash
# Build in debug mode and measure the time from the start of a server with many devices to its first response: at most
# 5 s. Installs missing Debian packages first. Needs about 10 KB of /tmp for each device while it runs.
# Usage: Tests/Scripts/restart-time.sh [DEVICES]
set -euo pipefail
cd "$(dirname "$0")/../.."
export MARQUEE_RESTART_DEVICES=${1:-100000}
Tests/Scripts/build-debug.sh
exec swift test --skip-build --no-parallel --scratch-path .build --filter IntegrationTests.RestartTests
