#!/bin/bash
# Installs what is missing, builds for speed, and measures the predictor and simple methods on logs of habits.
# Usage: Deploy/evaluate.sh [--check]
# With --check, fails unless the README quotes what is printed. Without the logs beside the project it says so and ends.
set -euo pipefail
cd "$(dirname "$0")/.."
logs=../shared/data/habits
if [ ! -d "$logs" ]; then
  echo "Skipped: there are no logs in $logs."
  exit 0
fi
Deploy/setup.sh
swift build -c release --product marquee --scratch-path .build-release
for log in phones-a lifelog-early; do
  printf '%s\n' "$log"
  .build-release/release/marquee evaluate "$logs/$log.tsv" | tee ".build-release/$log.txt"
  if [ "${1:-}" = --check ]; then
    # The README's block of text that begins with the log's name.
    awk -v name="$log" '/^```/ { inside = 0 } inside { print } $0 == name { inside = 1 }' README.md |
      diff - ".build-release/$log.txt"
  fi
done
