#!/bin/bash
# Build in debug mode and test the systemd units in Deploy with a separate systemd instance in its own namespaces, which
# requires root. Installs missing Debian packages first. Ends with "N passed, N failed".
# Usage: Tests/Scripts/systemd-units.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --boot ]; then
  # The first process of the namespaces: hides the host's state, and executes systemd.
  set -e
  mount --make-rprivate /
  for place in /run /etc/systemd/system /usr/local/bin; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
  mkdir -p /var/lib/private /run/lock
  mount -t tmpfs -o mode=700 tmpfs /var/lib/private
  umount -R /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 none /sys/fs/cgroup
  cp .build/debug/marqueed .build/debug/marquee /usr/local/bin
  cp Deploy/marqueed.service Deploy/marqueed.socket /etc/systemd/system
  # The namespaces have no boot sequence to depend on.
  for unit in marqueed.service marqueed.socket; do
    mkdir "/etc/systemd/system/$unit.d"
    printf '[Unit]\nDefaultDependencies=no\n' >"/etc/systemd/system/$unit.d/alone.conf"
  done
  container=marquee exec /lib/systemd/systemd --system --unit=marqueed.socket --show-status=no
fi
Tests/Scripts/build-debug.sh marqueed marquee || exit
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}
check() { # FAILURE COMMAND [ARGUMENTS]
  if "${@:2}"; then pass; else fail "$1"; fi
}

exposure=$(systemd-analyze security --offline=yes --threshold=12 Deploy/marqueed.service) \
  && pass || fail "the unit is more exposed than 1.2: $(tail -n 1 <<<"$exposure")"

if ! unshare --pid --mount --ipc --uts --cgroup --fork true 2>/dev/null; then
  echo "Skipped: namespaces cannot be created here."
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
fi
unshare --pid --mount --ipc --uts --cgroup --fork --mount-proc "$0" --boot 2>/dev/null &
outer=$!
trap 'pkill -KILL -P $outer; wait $outer 2>/dev/null' EXIT  # Killing the first process ends all processes of the namespace.
inner() { pgrep -P $outer | head -n 1; }
within() { nsenter -t "$(inner)" -m -p -i -u "$@"; }
marquee() { within env MARQUEE_SERVER=unix:/run/marquee/marqueed.sock marquee "$@" 2>&1; }
state() { within systemctl show -P "$1" marqueed.service; }
until_true() { # COMMAND [ARGUMENTS], tried for ten seconds
  for _ in $(seq 100); do
    if "$@" 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  return 1
}
listens() { [ "$(within systemctl is-active marqueed.socket)" = active ]; }
runs() { [ "$(state ActiveState)" = active ]; }
dead() { [ "$(state ActiveState)" = inactive ]; }
another() { [ "$(state MainPID)" != "$1" ] && [ "$(state MainPID)" != 0 ]; }

until_true listens || { fail "systemd does not run"; echo "$passed passed, $failed failed"; exit 1; }
within systemd-analyze verify /etc/systemd/system/marqueed.service >/dev/null 2>/tmp/marquee-verify-$$
grep -q marqueed "/tmp/marquee-verify-$$" && fail "$(cat "/tmp/marquee-verify-$$")" || pass
rm -f "/tmp/marquee-verify-$$"

check "the server runs before the first connection" dead
check "the first call fails" grep -qw SERVING <<<"$(marquee health)"
check "the first call did not start it" runs
check "the service type is not notify" [ "$(state Type)" = notify ]

# A dynamic user without privileges.
process=$(state MainPID)
status=$(within cat "/proc/$process/status")
check "it runs as root" grep -qE '^Uid:\s+6[0-9]{4}' <<<"$status"
check "it has capabilities" grep -q '^CapEff:\s0*$' <<<"$status"
check "it can gain privileges" grep -q '^NoNewPrivs:\s1' <<<"$status"
check "system calls are not filtered" grep -q '^Seccomp:\s2' <<<"$status"
check "its data is accessible to other users" [ "$(within stat -c %a /var/lib/private/marquee)" = 700 ]
check "it can write outside of its directories" within nsenter -t "$process" -m sh -c '! touch /usr/local/bin/x /etc/x /var/lib/x 2>/dev/null'

check "a device is not created" marquee device add phone >/dev/null
within systemctl reload marqueed.service
check "a reload ends it" [ "$(state MainPID)" = "$process" ]
check "it is not serving after a reload" grep -qw SERVING <<<"$(marquee health)"

# Calls during a restart wait and succeed.
(for _ in $(seq 20); do marquee health; done) >/tmp/marquee-calls-$$ &
calls=$!
within systemctl restart marqueed.service
wait $calls
check "calls during a restart failed" [ "$(grep -cw SERVING /tmp/marquee-calls-$$)" = 20 ]
rm -f "/tmp/marquee-calls-$$"
check "it was not restarted" another "$process"

process=$(state MainPID)
within kill -KILL "$process"
check "it is not restarted after a crash" until_true another "$process"
check "acknowledged data is lost" grep -qw phone <<<"$(marquee devices)"

within systemctl stop marqueed.service 2>/dev/null
check "it does not stop" dead
check "the stop failed" [ "$(state Result)" = success ]
check "a call does not start it again" grep -qw phone <<<"$(marquee devices)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
