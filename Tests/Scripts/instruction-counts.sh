#!/bin/bash
# Build in release mode and compare the kernels' instruction counts, which are independent of machine load, with
# Tests/Benchmarks/Thresholds/instruction-counts.tsv. Installs missing Debian packages first.
# Usage: Tests/Scripts/instruction-counts.sh [--write]
# With --write, updates the file.
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=$(Tests/Scripts/build-benchmarks.sh valgrind binutils)
# The same iteration order of dictionaries in every run.
export SWIFT_DETERMINISTIC_HASHING=1
figures=Tests/Benchmarks/Thresholds/instruction-counts.tsv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# valgrind 3.19 cannot read all debug information of this compiler.
objcopy --strip-debug "$bench" "$scratch/bench"

# Prints the number of instructions of COUNT iterations of a kernel.
instructions() { # KERNEL COUNT
  valgrind --quiet --tool=callgrind --callgrind-out-file="$scratch/out" "$scratch/bench" kernel "$1" "$2" >&2
  awk '/^summary:/ { print $2 }' "$scratch/out"
}

passed=0 failed=0
grep '^#' "$figures" >"$scratch/figures"
while IFS=$'\t' read -r kernel count written tolerance; do
  # The difference of two runs excludes the setup.
  least=$(instructions "$kernel" "$count")
  most=$(instructions "$kernel" $((count * 3)))
  each=$(((most - least) / (count * 2)))
  if [ "${1:-}" = --write ]; then
    printf '%s\t%s\t%s\t%s\n' "$kernel" "$count" "$each" "$tolerance" >>"$scratch/figures"
    echo "$kernel: $each instructions, updated"
  elif [ $((each * 100)) -gt $((written * (100 + tolerance))) ] ||
    [ $((each * 100)) -lt $((written * (100 - tolerance))) ]; then
    echo "$kernel: $each instructions, expected $written: find the cause, or update the file with --write"
    failed=$((failed + 1))
  else
    echo "$kernel: $each instructions, expected $written"
    passed=$((passed + 1))
  fi
done < <(grep -v '^#' "$figures")
if [ "${1:-}" = --write ]; then
  cp "$scratch/figures" "$figures"
  exit
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
