#!/bin/bash
# Installs what is missing, builds for speed, and attacks running servers in every way that they have to bear, beside a
# client that must not notice. A line for each row of the table of attacks says what was done, what came of it, the
# server's memory, and how long 99 of 100 of the other client's reads took before and meanwhile.
# Usage: Deploy/attack.sh [ROW...]
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh
for product in marqueed marquee-attack; do
  swift build -c release --product $product --scratch-path .build-release
done
exec .build-release/release/marquee-attack "$@"
