#!/bin/bash
# Build in release mode and evaluate the predictor and simple baselines on usage logs. Installs missing Debian packages
# first.
# Usage: Tests/Scripts/evaluate-predictor.sh [--check]
# With --check, fails unless the article Prediction quotes the output. If the logs are missing, evaluates synthetic
# people instead, which the article does not quote.
set -euo pipefail
cd "$(dirname "$0")/../.."
article=Sources/MarqueePredictor/MarqueePredictor.docc/Prediction.md
logs=../shared/data/habits
Deploy/setup.sh
Deploy/build.sh --product marquee --scratch-path .build-release
if [ ! -d "$logs" ]; then
  echo "The logs in $logs are missing: evaluating synthetic people."
  exec .build-release/release/marquee evaluate-predictor --seed 1 --people 20 --days 42
fi
for log in phones-a lifelog-early; do
  printf '%s\n' "$log"
  .build-release/release/marquee evaluate-predictor "$logs/$log.tsv" | tee ".build-release/$log.txt"
  if [ "${1:-}" = --check ]; then
    # The article's text block that begins with the log's name.
    awk -v name="$log" '/^```/ { inside = 0 } inside { print } $0 == name { inside = 1 }' $article |
      diff - ".build-release/$log.txt"
  fi
done
