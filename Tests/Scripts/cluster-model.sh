#!/bin/bash
# Check the model of the ownership of shards with spin: every interleaving of a few writes, claims and moves, and then
# each of the model's planted mistakes, which must be found. Installs missing Debian packages first.
# Usage: Tests/Scripts/cluster-model.sh [SWITCH...]
# SWITCHes change the bounds, for example -DWRITES=3 (default: 2) -DCLAIMS=2 -DMOVES=2 (default: 1), which takes longer.
set -euo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh spin gcc libc6-dev
model=$PWD/Tests/ClusterModel/ownership.pml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Prints the checker's report on the model with switches.
check() {
  spin -a "$@" "$model" >spin.log || { cat spin.log >&2; exit 1; }
  gcc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
  ./pan -m1000000 -n -E
}

passed=0
failed=0
# Counts a check, and prints its result: end NAME REPORT PATTERN, of which the report must have a line.
end() {
  if grep -q "$3" <<<"$2"; then
    passed=$((passed + 1))
    echo "$1: $(grep -m 1 "$3" <<<"$2"), $(grep -m 1 'states, stored' <<<"$2" | tr -d ' ')"
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$1" "$2"
  fi
}

report=$(check "$@")
# A search that is not complete proves nothing.
! grep -qiE 'not completed|max search depth|out of memory' <<<"$report" || report="incomplete"$'\n'${report//errors: 0/}
end "without mistakes" "$report" 'errors: 0'
for mistake in $(sed -n 's/^ \* \([A-Z_]*[A-Z]\)  .*/\1/p' "$model"); do
  end "$mistake" "$(check "-D$mistake" "$@" || true)" 'assertion violated'
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
