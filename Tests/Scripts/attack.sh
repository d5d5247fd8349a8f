#!/bin/bash
# Build in release mode and run the robustness suite against live servers: attacks in the native protocol, gRPC over
# HTTP/2 and Connect over HTTP/1.1, on sockets of both kinds. Installs missing Debian packages first.
# Usage: Tests/Scripts/attack.sh [NUMBER...]
# Prints a line for each attack: its number, its outcome, the server's memory, and the 99th percentile of another
# client's read latency before and during the attack.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
for product in marqueed marquee-attack; do
  Deploy/build.sh --product $product --scratch-path .build-release
done
exec .build-release/release/marquee-attack "$@"
