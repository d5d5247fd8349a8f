#!/bin/bash
# Counts the instructions of kernels, which times on shared machines do not tell, and compares them with those written
# down in Deploy/kernels.txt: each may differ by a twentieth.
# Usage: Deploy/kernels.sh [--write]   (--write writes the figures down anew)
set -euo pipefail
cd "$(dirname "$0")/.."
Deploy/setup.sh valgrind binutils
swift build -c release --product MarqueeBench --scratch-path .build-release
# The same order in dictionaries in every run.
export SWIFT_DETERMINISTIC_HASHING=1
figures=Deploy/kernels.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# valgrind 3.19 does not read all that this compiler writes for debuggers.
objcopy --strip-debug .build-release/release/MarqueeBench "$scratch/bench"

# The instructions of a kernel run so many times.
instructions() {
  valgrind --quiet --tool=callgrind --callgrind-out-file="$scratch/out" "$scratch/bench" kernel "$1" "$2" >&2
  awk '/^summary:/ { print $2 }' "$scratch/out"
}

passed=0 failed=0
while read -r kernel count written; do
  # What is done once is in both.
  least=$(instructions "$kernel" "$count")
  most=$(instructions "$kernel" $((count * 3)))
  each=$(((most - least) / (count * 2)))
  if [ "${1:-}" = --write ]; then
    echo "$kernel $count $each" >>"$scratch/figures"
    echo "$kernel: $each instructions, now written down"
    continue
  elif [ $((each * 20)) -gt $((written * 21)) ] || [ $((each * 20)) -lt $((written * 19)) ]; then
    echo "$kernel: $each instructions, $written are written down: find out why, or write the new figure down"
    failed=$((failed + 1))
    continue
  fi
  echo "$kernel: $each instructions, $written are written down"
  passed=$((passed + 1))
done <"$figures"
if [ "${1:-}" = --write ]; then
  cp "$scratch/figures" "$figures"
  exit
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
