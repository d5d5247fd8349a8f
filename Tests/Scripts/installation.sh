#!/bin/bash
# Build in release mode, install in a temporary directory, and use the installed programs. Installs missing Debian
# packages first. Ends with "N passed, N failed".
# Usage: Tests/Scripts/installation.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; }
  rm -rf "$scratch"
}
trap finish EXIT
passed=0 failed=0
check() { # FAILURE COMMAND [ARGUMENTS]
  if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $1"; fi
}
contains() { grep -q -- "$2" "$1"; }

Deploy/install.sh --prefix "$scratch/marquee" || exit
for program in marqueed marquee; do
  path=$scratch/marquee/bin/$program
  size=$(stat --format %s "$path")
  echo "$program: $size bytes"
  check "$program has more than 32 MB" test "$size" -le 32000000
  check "$program has symbols" test -z "$(nm "$path" 2>/dev/null)"
  check "$program --version prints none" grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' <("$path" --version)
done
share=$scratch/marquee/share
check "marquee.1 names no command" contains "$share/man/man1/marquee.1" why-not
check "marqueed.8 names no option" contains "$share/man/man8/marqueed.8" data
check "bash completes no commands" contains "$share/bash-completion/completions/marquee" why-not
check "zsh completes no commands" contains "$share/zsh/site-functions/_marquee" why-not
check "fish completes no commands" contains "$share/fish/vendor_completions.d/marquee.fish" why-not
units=$scratch/marquee/lib/systemd/system
check "the unit starts another server" contains "$units/marqueed.service" "^ExecStart=$scratch/marquee/bin/marqueed "
check "a node's unit starts another server" contains "$units/marqueed@.service" "^ExecStart=$scratch/marquee/bin/marqueed "
check "systemd rejects the units" systemd-analyze verify --man=no "$units/marqueed.service" "$units/marqueed.socket" \
  "$units/marqueed@kitchen.service"

export MARQUEE_SERVER=unix:$scratch/socket
"$scratch/marquee/bin/marqueed" --data-dir "$scratch/data" --listen "$MARQUEE_SERVER" 2>"$scratch/log" &
server=$!
until [ -S "$scratch/socket" ] || ! kill -0 $server 2>/dev/null; do sleep 0.1; done
check "the server does not serve" grep -qx SERVING <("$scratch/marquee/bin/marquee" health)
check "a second prefix is accepted" test "$(Deploy/install.sh --prefix a b >/dev/null 2>&1; echo $?)" = 64
echo "$passed passed, $failed failed"
exit $((failed > 0))
