#!/bin/bash
# Build in debug mode, and run a cluster for about a minute: PostgreSQL with a synchronous standby, and three servers
# that share it. Kills the server that has a device while a display watches it and devices are registered, and prints
# which server took it over, after how long, and whether anything acknowledged was lost. Everything listens on Unix
# sockets in a temporary directory, and ends with the script. Installs missing Debian packages first.
# Usage: Deploy/cluster.sh
set -euo pipefail
cd "$(dirname "$0")/.."
Tests/Scripts/install-postgres.sh
# CI has built them.
[ -n "${MARQUEE_SKIP_BUILD:-}" ] ||
  for product in marqueed marquee; do swift build --product $product --scratch-path .build; done
bin=$PWD/.build/debug
postgres=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

work=$(mktemp -d /tmp/marquee-cluster-XXXXXX)
mkdir "$work/log"
mkdir -m 700 "$work/keys"
declare -A processes=()
clean_up() {
  trap - EXIT
  for process in "${processes[@]}"; do kill -9 "$process" 2>/dev/null || true; done
  for server in standby primary; do
    [ ! -f "$work/db/$server/postmaster.pid" ] || as_user "$postgres/pg_ctl" stop -s -m immediate -D "$work/db/$server" || true
  done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Waits until a command succeeds.
wait_until() { # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "timed out: ${*:2}" >&2; tail -n 20 "$work"/log/* >&2; exit 1; }
    sleep .05
  done
}
say() { printf '\n\e[1m%s\e[0m\n' "$*"; }
seconds_since() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }'; }

# PostgreSQL refuses to run as root.
owner=$(id -un)
if [ "$(id -u)" = 0 ]; then owner=postgres; fi
as_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid="$owner" --regid="$owner" --init-groups env "PATH=$PATH" "$@"; else "$@"; fi; }
chmod 711 "$work"
mkdir "$work/db"
[ "$(id -u)" != 0 ] || chown "$owner" "$work/db"

say "PostgreSQL: a server, and a standby that has each commit before it is acknowledged"
start_database() { # NAME SETTINGS...
  local name=$1
  shift
  mkdir -p "$work/db/socket-$name" && { [ "$(id -u)" != 0 ] || chown "$owner" "$work/db/socket-$name"; }
  # shellcheck disable=SC2068
  as_user "$postgres/pg_ctl" start -s -w -D "$work/db/$name" -l "$work/db/$name.log" \
    -o "-c listen_addresses='' -c unix_socket_directories=$work/db/socket-$name -c shared_buffers=32MB $*"
}
(cd "$work/db" && as_user "$postgres/initdb" -D "$work/db/primary" -U marquee -A trust -E UTF8 --locale=C >/dev/null)
start_database primary
psql() { "$postgres/psql" -qAt -h "$work/db/socket-primary" -U marquee "$@"; }
psql -d postgres -c 'CREATE DATABASE marquee' -c "SELECT pg_create_physical_replication_slot('standby')" >/dev/null
as_user "$postgres/pg_basebackup" -h "$work/db/socket-primary" -U marquee -D "$work/db/standby" -R -S standby -c fast
start_database standby -c cluster_name=standby
psql -d postgres -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'" -c 'SELECT pg_reload_conf()' >/dev/null
answers() { [ "$(psql -d "$1" -c "$2")" = "$3" ]; } # DATABASE QUERY ANSWER
wait_until 30 answers postgres 'SELECT sync_state FROM pg_stat_replication' sync
psql -d postgres -c "SELECT 'standby of ' || pg_postmaster_start_time()::time(0) || ': ' || sync_state FROM pg_stat_replication"

say "Three servers that share the database"
start_node() { # NAME
  "$bin/marqueed" --data-dir "$work/$1" --listen "unix:$work/$1.sock" --keys "$work/keys" \
    --store "postgres:host=$work/db/socket-primary dbname=marquee user=marquee" \
    --cluster-node "$1" --cluster-address "unix:$work/$1.sock" --cluster-shard-count 64 2>"$work/log/$1" &
  processes[$1]=$!
  wait_until 30 grep -q '] listening' "$work/log/$1"
}
ask() { "$bin/marquee" "${@:2}" --server "unix:$work/$1.sock"; }
# In the background, as the process that is killed at the end.
follow() { exec "$bin/marquee" "${@:2}" --server "unix:$work/$1.sock"; }
nodes=(anna berta clara)
for name in "${nodes[@]}"; do start_node "$name"; done
wait_until 30 answers marquee 'SELECT min(c) >= 10 FROM (SELECT count(s.id) c FROM marquee.node n
  LEFT JOIN marquee.shard s ON s.node = n.id AND s.next IS NULL GROUP BY n.id) t' t
ask anna cluster status

say "A device, its app and its display, each at a server that does not have the device"
device=kitchen
ask anna device add $device --time-zone Europe/Berlin >/dev/null
owner_of() { # DEVICE
  psql -d marquee -c "SELECT n.name FROM marquee.device d JOIN marquee.shard s ON s.id = d.shard
    JOIN marquee.node n ON n.id = s.node WHERE d.name = '$1'"
}
first=$(owner_of $device)
others=()
for name in "${nodes[@]}"; do [ "$name" = "$first" ] || others+=("$name"); done
echo "$first has the device $device; the others pass calls on to it."
ask "${others[0]}" stack create $device/home --family systemSmall >/dev/null
scores() { # TITLE
  printf 'date,score,duration,title\n%s,10,600,%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"
}
scores 0:0 >"$work/scores.csv"
follow "${others[0]}" publish csv "$work/scores.csv" --widget com.example.sport/Scores --device $device --stack home \
  --family systemSmall --cards >"$work/log/app" 2>&1 &
processes[app]=$!
follow "${others[1]}" watch $device/home >"$work/log/display" 2>&1 &
processes[display]=$!
wait_until 30 grep -q 0:0 "$work/log/display"
cat "$work/log/display"

say "Devices are registered at the others all the time, and $first is killed"
: >"$work/acknowledged"
load() { # NODE
  local number=0
  while [ ! -f "$work/stop" ]; do
    number=$((number + 1))
    if ask "$1" device add "$1-$number" --time-zone UTC >/dev/null 2>>"$work/log/load"; then
      echo "$1-$number" >>"$work/acknowledged"
    else
      echo "$1-$number" >>"$work/failed"
    fi
  done
}
for name in "${others[@]}"; do
  load "$name" &
  processes[load-$name]=$!
done
sleep 3
start=$(date +%s.%N)
kill -9 "${processes[$first]}"
wait_until 30 ask "${others[0]}" stacks $device
echo "$(owner_of $device) has taken $device over: it answers $(seconds_since "$start") s after $first was killed."
wait_until 30 answers marquee 'SELECT count(*) FROM marquee.shard s JOIN marquee.node n ON n.id = s.node
  WHERE n.lease_until > clock_timestamp()' 64
echo "All shards have an owner $(seconds_since "$start") s after it."
sleep 2
touch "$work/stop"
for name in "${others[@]}"; do wait "${processes[load-$name]}" || true; done
ask "${others[0]}" cluster status

say "The display goes on, and nothing is lost"
scores 1:0 >"$work/scores.csv"
wait_until 30 grep -q 1:0 "$work/log/display"
tail -n 3 "$work/log/display"
ask "${others[1]}" devices --json | tr '{' '\n' | sed -n 's/.*"device": *"\([^"]*\)".*/\1/p' | sort >"$work/listed"
lost=$(sort "$work/acknowledged" | comm -23 - "$work/listed" | wc -l)
total=$(wc -l <"$work/acknowledged")
echo "$total registrations were acknowledged, $lost of them are lost. Failed calls, by their reasons:"
sed 's/^Error: //' "$work/log/load" | cut -c1-100 | sort | uniq -c

say "The servers stop, and the database is verified"
for name in app display; do kill "${processes[$name]}" 2>/dev/null || true; done
for name in "${others[@]}"; do
  kill -TERM "${processes[$name]}"
  wait "${processes[$name]}"
done
"$bin/marqueed" verify --store "postgres:host=$work/db/socket-primary dbname=marquee user=marquee" --keys "$work/keys"
[ "$lost" = 0 ] && [ "$total" -gt 0 ]
