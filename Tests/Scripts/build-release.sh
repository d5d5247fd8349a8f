#!/bin/bash
# Build everything that the scripts here run in release mode, on processors that are idle otherwise. Installs missing
# Debian packages first.
# Usage: Tests/Scripts/build-release.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh
chrt --idle --pid 0 $$
for product in marquee-sim marqueed marquee-attack marquee; do
  Deploy/build.sh --product $product --scratch-path .build-release
done
Tests/Scripts/build-benchmarks.sh
Tests/Scripts/fuzz.sh --build
