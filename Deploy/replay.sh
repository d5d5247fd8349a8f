#!/bin/bash
# Installs what is missing, builds for speed, and replays the last week of a log of habits on a server of its own.
# Usage: Deploy/replay.sh [--check]
# With --check, fails unless the README quotes what is printed. Without the log beside the project it says so and ends.
set -euo pipefail
cd "$(dirname "$0")/.."
log=../shared/data/habits/phones-a.tsv
if [ ! -f "$log" ]; then
  echo "Skipped: there is no log $log."
  exit 0
fi
Deploy/setup.sh
bin=.build-release/release
for product in marqueed marquee; do swift build -c release --product $product --scratch-path .build-release; done
directory=$(mktemp -d)
exec 3< <(
  exec $bin/marqueed --clock manual=2000-01-01T00:00:00Z --data-dir "$directory/data" \
    --listen "unix:$directory/socket" 2>&1
)
server=$!
# What it still says ends when it has.
trap 'kill $server 2>/dev/null || true; cat <&3 >/dev/null; rm -rf "$directory"' EXIT
while read -r line <&3; do
  case $line in *"] listening"*) break ;; *) printf '%s\n' "$line" >&2 ;; esac
done
$bin/marquee replay "$log" --server "unix:$directory/socket" | tee .build-release/replay.txt
if [ "${1:-}" = --check ]; then
  # The README's block of text that begins as the output does.
  awk -v first="$(head -n 1 .build-release/replay.txt)" \
    '/^```/ { inside = 0 } $0 == first { inside = 1 } inside { print }' README.md |
    diff - .build-release/replay.txt
fi
