#!/bin/bash
# Build in release mode with libFuzzer and the address sanitizer, and fuzz every target from the inputs in
# Tests/Fuzz/Corpus. Installs missing Debian packages first.
# Usage: Tests/Scripts/fuzz.sh [SECONDS [TARGET...]]
#        Tests/Scripts/fuzz.sh --build
# Each target runs for SECONDS (default: 600). With --build, nothing runs. New coverage inputs are kept in
# .build-fuzz/corpus for the next run, and failing inputs in .build-fuzz/found, with a command to reproduce the failure
# on standard output.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
[ $# = 0 ] || shift
targets=("$@")
[ $# != 0 ] || read -ra targets <<<"$(ls Tests/Fuzz/Corpus | tr '\n' ' ')"
Deploy/setup.sh
export MARQUEE_FUZZ=1
# The gold linker does not export the symbols of the sanitizer runtime; lld does.
swift build -c release --product Fuzzer --scratch-path .build-fuzz --sanitize address \
  -Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link -Xswiftc -use-ld=lld -Xswiftc -assert-config -Xswiftc Debug
[ "$seconds" != --build ] || exit 0
# Swift's interactive backtraces wait for a terminal under a sanitizer.
export SWIFT_BACKTRACE=enable=no
fuzzer=.build-fuzz/release/Fuzzer
# Runs a target, and prints its result.
fuzz() { # TARGET
  local target=$1 log seeds options dictionary
  mkdir -p ".build-fuzz/corpus/$target" ".build-fuzz/found/$target"
  log=".build-fuzz/found/$target.log"
  seeds=("Tests/Fuzz/Corpus/$target")
  case $target in
    calendar) seeds+=(Tests/Fixtures/calendars) ;;
    scenario) seeds+=(Tests/Fixtures/scenarios) ;;
  esac
  options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1)
  dictionary=Tests/Fuzz/Dictionaries/$target
  [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
  if "$fuzzer" "$target" "${options[@]}" -artifact_prefix=".build-fuzz/found/$target/" \
    ".build-fuzz/corpus/$target" "${seeds[@]}" >"$log" 2>&1; then
    awk -v target="$target" '
      /stat::number_of_executed_units/ { runs = $2 }
      / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
      END { printf "%s: %d inputs, %d edges\n", target, runs, edges }' "$log"
  else
    grep -aE 'Fatal error|failed: |ERROR|SUMMARY|Test unit written' "$log" || tail -n 5 "$log"
    echo "$target failed; to reproduce: SWIFT_BACKTRACE=enable=no $fuzzer $target INPUT"
    return 1
  fi
}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
passed=0
failed=0
# One target per processor at a time.
for ((first = 0; first < ${#targets[@]}; first += $(nproc))); do
  group=("${targets[@]:first:$(nproc)}")
  processes=()
  for target in "${group[@]}"; do
    fuzz "$target" >"$results/$target" &
    processes+=($!)
  done
  for index in "${!group[@]}"; do
    if wait "${processes[$index]}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    cat "$results/${group[$index]}"
  done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
