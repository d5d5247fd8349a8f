#!/bin/bash
# Build in release mode and evaluate the predictor and simple baselines on usage logs. Installs missing Debian packages
# first.
# Usage: Tests/Scripts/evaluate-predictor.sh [--check]
# With --check, fails unless the article Prediction quotes the output. Succeeds with a message if the logs are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
article=Sources/MarqueePredictor/MarqueePredictor.docc/Prediction.md
logs=../shared/data/habits
if [ ! -d "$logs" ]; then
  echo "Skipped: the logs in $logs are missing."
  exit 0
fi
Deploy/setup.sh
swift build -c release --product marquee --scratch-path .build-release
for log in phones-a lifelog-early; do
  printf '%s\n' "$log"
  .build-release/release/marquee evaluate-predictor "$logs/$log.tsv" | tee ".build-release/$log.txt"
  if [ "${1:-}" = --check ]; then
    # The article's text block that begins with the log's name.
    awk -v name="$log" '/^```/ { inside = 0 } inside { print } $0 == name { inside = 1 }' $article |
      diff - ".build-release/$log.txt"
  fi
done
