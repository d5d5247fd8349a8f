#!/bin/bash
# Build in debug mode and test the systemd units in Deploy with a separate systemd instance in its own namespaces, which
# requires root: a single server, and two nodes of a cluster with PostgreSQL, which are skipped if it is not installed.
# Also verifies Deploy/haproxy.cfg if HAProxy is installed. Installs missing Debian packages first. Ends with "N passed,
# N failed".
# Usage: Tests/Scripts/systemd-units.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --boot ]; then
  # The first process of the namespaces: hides the host's state, and executes systemd.
  set -e
  mount --make-rprivate /
  mount -t tmpfs -o mode=755 tmpfs /run
  # A copy, to which a user and the files of nodes are added.
  cp -a /etc /run/etc
  mount --bind /run/etc /etc
  for place in /etc/systemd/system /usr/local/bin /var/lib/marquee-nodes; do
    mount -t tmpfs -o mode=755 tmpfs "$place"
  done
  useradd --system --no-create-home --shell /usr/sbin/nologin marquee
  mkdir -p /var/lib/private /run/lock
  mount -t tmpfs -o mode=700 tmpfs /var/lib/private
  umount -R /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 none /sys/fs/cgroup
  cp .build/debug/marqueed .build/debug/marquee /usr/local/bin
  cp Deploy/marqueed.service Deploy/marqueed.socket Deploy/marqueed@.service /etc/systemd/system
  # A process in a namespace of its own mounts the credentials of a unit for the others.
  mount --make-rshared /
  # The namespaces have no boot sequence to depend on.
  for unit in marqueed.service marqueed.socket marqueed@.service; do
    mkdir "/etc/systemd/system/$unit.d"
    printf '[Unit]\nDefaultDependencies=no\n' >"/etc/systemd/system/$unit.d/alone.conf"
  done
  container=marquee exec /lib/systemd/systemd --system --unit=marqueed.socket --show-status=no
fi
Tests/Scripts/build-debug.sh marqueed marquee && Tests/Scripts/install-postgres.sh || exit
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}
check() { # FAILURE COMMAND [ARGUMENTS]
  if "${@:2}"; then pass; else fail "$1"; fi
}

# Nodes are connected with remote clients, with each other and with the database.
for unit in marqueed.service=14 marqueed@.service=15; do
  exposure=$(systemd-analyze security --offline=yes --threshold="${unit#*=}" "Deploy/${unit%=*}") \
    && pass || fail "${unit%=*} is more exposed than ${unit#*=} tenths: $(tail -n 1 <<<"$exposure")"
done
if command -v haproxy >/dev/null; then
  findings=$(haproxy -c -f Deploy/haproxy.cfg 2>&1) && pass || fail "HAProxy refuses its settings: $findings"
else
  echo "Skipped: HAProxy is not installed."
fi

if ! unshare --pid --mount --ipc --uts --cgroup --fork true 2>/dev/null; then
  echo "Skipped: namespaces cannot be created here."
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
fi
# The place of a mount in the namespaces.
[ -d /var/lib/marquee-nodes ] || { mkdir /var/lib/marquee-nodes && place=/var/lib/marquee-nodes; }
unshare --pid --mount --ipc --uts --cgroup --fork --mount-proc "$0" --boot 2>/dev/null &
outer=$!
trap 'pkill -KILL -P $outer; wait $outer 2>/dev/null; rm -rf "${credentials:-}"; [ -z "${place:-}" ] || rmdir "$place"' EXIT  # Killing the first process ends all processes of the namespace.
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
verify() { # UNIT
  local findings
  findings=$(within systemd-analyze verify "/etc/systemd/system/$1" 2>&1 | grep marqueed) && fail "$findings" || pass
}
verify marqueed.service
verify marqueed@one.service

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

# The rules of the policy match the users of clients, and the environment file adds endpoints.
as() { within env MARQUEE_SERVER=unix:/run/marquee/marqueed.sock setpriv --reuid "$1" --regid "$1" --clear-groups marquee devices 2>&1; }
denied() { ! as "$1" >/dev/null; }
check "a user without a rule has access" denied games
# The shell within the namespaces: /etc is the host's, and the data directory is of the dynamic user.
within sh -c 'printf "rules: [{user: games, role: viewer}, {group: daemon, role: viewer}, {user: nobody, role: viewer}]\n" >/run/access.yaml
printf "MARQUEED_ACCESS_POLICY=/run/access.yaml\nMARQUEED_LISTEN=unix:/run/marquee/marqueed.sock,tcp:127.0.0.1:17440\n" >/run/marqueed.env
printf "[Service]\nEnvironmentFile=/run/marqueed.env\n" >/etc/systemd/system/marqueed.service.d/settings.conf
systemctl daemon-reload && systemctl restart marqueed.service'
process=$(state MainPID)
check "a rule for a user does not match" grep -qw phone <<<"$(as games)"
check "a rule for a group does not match" grep -qw phone <<<"$(as daemon)"
check "a rule for nobody matches other users" denied bin
check "the endpoint of the environment file is not served" \
  within env MARQUEE_SERVER=tcp:127.0.0.1:17440 marquee health >/dev/null

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

# Two nodes of a cluster, which are started before their database.
postgres=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1)
if [ -z "$postgres" ]; then
  echo "Skipped: PostgreSQL is not installed."
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
fi
credentials=$(mktemp -d)
. Tests/Scripts/credentials.sh
create_credentials localhost operator
access_policy '{user: root, role: operator}' >"$credentials/access.yml"
within sh -ec '
  umask 077
  mkdir -p /etc/marquee /run/postgresql
  echo secret >/etc/marquee/database-password
  cp "$1"/operator.token /etc/marquee/node-token
  cp "$1"/keys.json "$1"/access.yml /etc/marquee
  chmod 644 /etc/marquee/keys.json /etc/marquee/access.yml
  for node in one two; do
    cat >/etc/marquee/$node.yml <<END
listen: [unix:/run/marquee/$node/marqueed.sock]
store: "postgres:host=/run/postgresql dbname=postgres user=owner"
cluster: {address: "unix:/run/marquee/$node/marqueed.sock", shard-count: 64}
access-policy: /etc/marquee/access.yml
END
    chmod 644 /etc/marquee/$node.yml
  done
  chmod 755 /etc/marquee
  cp /etc/marquee/database-password /run/postgresql
  chown -R postgres /run/postgresql
  chmod 755 /run/postgresql' sh "$credentials"
as_postgres() { within setpriv --reuid=postgres --regid=postgres --clear-groups env --chdir=/ "$@"; }
node() { within env "MARQUEE_SERVER=unix:/run/marquee/$1/marqueed.sock" marquee "${@:2}" 2>&1; }
show() { within systemctl show -P "$2" "marqueed@$1.service"; }
active() { [ "$(show "$1" ActiveState)" = active ]; }
often() { [ "$(show one NRestarts)" -gt 6 ]; }
replaced() { active one && [ "$(show one MainPID)" != "$1" ]; }
serves() { node "$1" "${@:2}" >/dev/null; }
long() { for _ in 1 2 3 4 5; do if until_true "$@"; then return 0; fi; done; return 1; } # fifty seconds

within systemctl start --no-block marqueed@one.service marqueed@two.service
check "a node is not started again without its database" long often
as_postgres "$postgres/initdb" -D /run/postgresql/data -U owner -A scram-sha-256 -E UTF8 --locale=C --no-sync \
  --pwfile /run/postgresql/database-password >/dev/null
as_postgres "$postgres/pg_ctl" start -s -w -D /run/postgresql/data -l /run/postgresql/log \
  -o "-c listen_addresses= -c unix_socket_directories=/run/postgresql"
check "node one does not start" long active one
check "node two does not start" long active two
check "a node runs as another user" [ "$(within ps -o user= -p "$(show one MainPID)")" = marquee ]
check "a node has capabilities" grep -q '^CapEff:\s0*$' <<<"$(within cat "/proc/$(show one MainPID)/status")"
check "a credential is on a command line" [ -z "$(within pgrep -f secret)" ]
check "the nodes have not divided the shards" long serves two cluster status
check "a device is not created" serves one device add kitchen
check "the other node does not know it" grep -qw kitchen <<<"$(node two devices)"

within systemctl stop marqueed@one.service
check "the stop of a node failed" [ "$(show one Result)" = success ]
check "its devices were not handed over at once" serves two stacks kitchen
within systemctl start marqueed@one.service
process=$(show one MainPID)
within kill -KILL "$process"
check "a node is not restarted after a crash" long replaced "$process"
check "its shards are not served again" long serves two cluster status
check "a node does not know the device" grep -qw kitchen <<<"$(node one devices)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
