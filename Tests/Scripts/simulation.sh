#!/bin/bash
# Build in release mode and run simulated servers or clusters, one for each seed from FIRST (default: 1). Installs
# missing Debian packages first.
# Usage: Tests/Scripts/simulation.sh [--cluster] [SEEDS [FIRST]]
#        Tests/Scripts/simulation.sh [--cluster] --mutations [SEEDS]
# With --mutations, tests the suite by mutation: each mutation in the sources or, of a cluster, in the simulation is
# enabled in turn, and one of the seeds (default: 1000) must detect it. To reproduce a seed and print its trace:
#   SWIFT_DETERMINISTIC_HASHING=1 .build-release/release/marquee-sim [server|cluster] SEED --story
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=server
mutations=0
for option in --cluster --mutations; do
  [ "${1:-}" = $option ] || continue
  if [ $option = --cluster ]; then kind=cluster; else mutations=1; fi
  shift
done
Deploy/setup.sh
# The same iteration order of sets and dictionaries in every process.
export SWIFT_DETERMINISTIC_HASHING=1
if [ $mutations = 1 ] && [ $kind = server ]; then
  passed=0
  failed=0
  for mutation in MUTATION_EARLY_ANSWER MUTATION_KEPT_CHANGES MUTATION_SINGLE_WATCHER; do
    MARQUEE_MUTATION=$mutation Deploy/build.sh --product marquee-sim --scratch-path .build-mutations
    if found=$(.build-mutations/release/marquee-sim 1 --count "${1:-1000}" --until-found); then
      failed=$((failed + 1))
      echo "$mutation: not found by ${1:-1000} seeds"
    else
      passed=$((passed + 1))
      echo "$mutation: $(head -n 1 <<<"$found")"
    fi
  done
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
  exit
fi
Deploy/build.sh --product marquee-sim --scratch-path .build-release
if [ $mutations = 1 ]; then
  exec .build-release/release/marquee-sim cluster 1 --count "${1:-1000}" --mutation all
fi
seeds=${1:-1000}
# One process per processor, each with an equal share of the seeds.
share=$(((seeds + $(nproc) - 1) / $(nproc)))
processes=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for ((first = ${2:-1}, rest = seeds; rest > 0; first += share, rest -= share)); do
  .build-release/release/marquee-sim $kind "$first" --count $((rest < share ? rest : share)) >"$logs/$first" &
  processes+=($!)
done
# A process that exits before its totals line counts as failed.
ended=0
for process in "${processes[@]}"; do wait "$process" || ended=1; done
cat "$logs"/*
awk -v ended=$ended '/ passed, / { passed += $1; failed += $3 }
  END { if (ended && !failed) failed = 1; print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 }' "$logs"/*
