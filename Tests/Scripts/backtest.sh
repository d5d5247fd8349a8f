#!/bin/bash
# Build in release mode and backtest the last week of a usage log on a server. Installs missing Debian packages first.
# Usage: Tests/Scripts/backtest.sh [--check]
# With --check, fails unless the article Prediction quotes the output. Succeeds with a message if the log is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
article=Sources/MarqueePredictor/MarqueePredictor.docc/Prediction.md
log=../shared/data/habits/phones-a.tsv
if [ ! -f "$log" ]; then
  echo "Skipped: the log $log is missing."
  exit 0
fi
Deploy/setup.sh
bin=.build-release/release
for product in marqueed marquee; do Deploy/build.sh --product $product --scratch-path .build-release; done
directory=$(mktemp -d)
exec 3< <(
  exec $bin/marqueed --clock manual=2000-01-01T00:00:00Z --data-dir "$directory/data" \
    --listen "unix:$directory/socket" 2>&1
)
server=$!
# Drain the server's output until it has exited.
trap 'kill $server 2>/dev/null || true; cat <&3 >/dev/null; rm -rf "$directory"' EXIT
while read -r line <&3; do
  case $line in *"] listening"*) break ;; *) printf '%s\n' "$line" >&2 ;; esac
done
$bin/marquee backtest "$log" --server "unix:$directory/socket" | tee .build-release/backtest.txt
if [ "${1:-}" = --check ]; then
  # The article's text block that begins with the first line of the output.
  awk -v first="$(head -n 1 .build-release/backtest.txt)" \
    '/^```/ { inside = 0 } $0 == first { inside = 1 } inside { print }' $article |
    diff - .build-release/backtest.txt
fi
