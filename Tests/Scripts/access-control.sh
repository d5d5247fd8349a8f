#!/bin/bash
# Build in debug mode and test access control on a real server: every kind of call by operators, viewers, providers,
# displays and unknown principals, with certificates, tokens and, if run as root, Unix users. Installs missing Debian
# packages first. Ends with "N passed, N failed".
# Usage: Tests/Scripts/access-control.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/build-debug.sh marqueed marquee || exit
work=$(mktemp -d /tmp/marquee-access-XXXXXX)
chmod 711 "$work"
server=
end() {
  # A forked child that is killed before exec runs this trap too.
  [ "$BASHPID" = $$ ] || return
  [ -z "$server" ] || kill "$server"
  rm -rf "$work"
}
trap end EXIT
cp .build/debug/marqueed .build/debug/marquee "$work"
mkdir -m 777 "$work/out"
unset MARQUEE_SERVER MARQUEE_TOKEN_FILE MARQUEE_TLS_ROOTS MARQUEE_TLS_CERTIFICATE_CHAIN MARQUEE_TLS_PRIVATE_KEY
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

# Certificates: the authority, the server, one for each role, and a self-signed one in the name of the operator. Tokens:
# signed with Ed25519 keys.
credentials=$work
. Tests/Scripts/credentials.sh
roles=(operator viewer provider display stranger)
create_credentials localhost "${roles[@]}"
for role in "${roles[@]}"; do signed_certificate "$role.example.com" "$role"; done
certificate operator.example.com forger -addext subjectAltName=DNS:operator.example.com
openssl genpkey -algorithm ed25519 -out "$work/forged.key"
token operator forged.key >"$work/forger.token"
token operator issuer.key $(($(date +%s) - 1)) >"$work/late.token"
chmod 644 "$work"/*.token

# Users without accounts: rules can name a user ID.
declare -A user=([operator]=4000001 [viewer]=4000002 [provider]=4000003 [display]=4000004 [stranger]=4000005)

rules() { # ROLE ADDITIONAL-KEYS
  echo "  - {certificate: $1.example.com, role: $1$2}"
  echo "  - {user: ${user[$1]}, role: $1$2}"
  echo "  - {token: {iss: \"https://id.example.com\", role: $1}, role: $1$2}"
}
policy() { # ROLES
  echo 'tokens: [{issuer: "https://id.example.com", audience: marquee, keys: keys.json}]'
  echo 'rules:'
  local role
  for role in "$@"; do
    case $role in
      provider) rules provider ', apps: [com.example.weather]' ;;
      display) rules display ', devices: [phone]' ;;
      *) rules "$role" "" ;;
    esac
  done
}
policy operator viewer provider display >"$work/access.yaml"

"$work/marqueed" --data-dir "$work/data" --listen "unix:$work/socket" --listen tcp:127.0.0.1:0 --socket-mode 666 \
  --tls-certificate-chain "$work/server.pem" --tls-private-key "$work/server.key" \
  --tls-client-roots "$work/authority.pem" --access-policy "$work/access.yaml" --log-level trace 2>"$work/log" &
server=$!
for _ in $(seq 100); do
  grep -q '] listening' "$work/log" && break
  sleep 0.1
done
port=$(grep -o 'tcp:127.0.0.1:[0-9]*' "$work/log" | head -1)
[ -n "$port" ] || { cat "$work/log"; exit 1; }

# Sets `run` to the command that runs marquee with a role's credentials: HOW is certificate, token or user.
as() { # HOW ROLE ARGUMENTS
  local how=$1 role=$2
  shift 2
  local tls=(--server "$port" --tls-roots "$work/authority.pem" --tls-server-name localhost)
  run=("$work/marquee" "$@")
  case $how-$role in
    certificate-nobody) run+=("${tls[@]}") ;;
    certificate-*) run+=("${tls[@]}" --tls-certificate-chain "$work/$role.pem" --tls-private-key "$work/$role.key") ;;
    token-*) run+=("${tls[@]}" --token-file "$work/$role.token") ;;
    user-*)
      run=(setpriv --reuid "${user[$role]}" --regid "${user[$role]}" --clear-groups "${run[@]}" --server
        "unix:$work/socket") ;;
  esac
}
owner() { "$work/marquee" "$@" --server "unix:$work/socket"; }

# Expects a call's exit status and words in its output.
expect() { # STATUS WORDS HOW ROLE ARGUMENTS
  local status=$1 words=$2 output
  shift 2
  as "$@"
  output=$("${run[@]}" 2>&1)
  local got=$?
  if [ $got = "$status" ] && [[ $output == *"$words"* ]]; then pass; else fail "$*: $got, $output"; fi
}

# Two devices with a stack, and two apps.
printf 'date,score,duration\n2026-01-01T00:00:00Z,5,3600\n' >"$work/rain.csv"
for device in phone tablet; do
  owner device add $device --time-zone Europe/Berlin >/dev/null &&
    owner stack create $device/home --family systemSmall >/dev/null || fail "device $device"
done

# A widget of each app on the phone, so that its events begin with one.
for widget in com.example.weather/Rain com.example.sport/Score; do
  : >"$work/output"
  "$work/marquee" publish csv "$work/rain.csv" --device phone --widget $widget --server "unix:$work/socket" \
    >"$work/output" 2>&1 &
  until [ -s "$work/output" ]; do sleep 0.05; done
  kill $!
  wait $!
  owner report-interaction home $widget --device phone >/dev/null || fail "widget $widget"
done

# The kinds of calls: the permitted roles and the command.
calls=(
  'everybody|health'
  'operator viewer|devices'
  'operator viewer|stacks phone'
  'operator viewer|widgets phone'
  'operator viewer|decisions phone/home'
  'operator viewer|donations phone'
  'operator viewer|predict phone'
  'operator viewer|clock'
  'operator viewer|limits'
  "operator viewer|export-scenario phone --output $work/out/record-NEW"
  "operator|backup $work/out/backup-NEW"
  'operator|policy phone hold=60'
  'operator|developer-mode phone off'
  'operator|delete-donations phone --app com.example.nothing --everything'
  'operator viewer display|suggest phone --on lock-screen'
  'operator viewer display|people phone --focus work'
  'operator viewer display|watch phone/home'
  'operator display|device add phone --time-zone Europe/Berlin'
  'operator display|report-interaction opened com.example.weather --device phone'
  'operator viewer|suggest tablet --on lock-screen'
  'operator viewer|watch tablet/home'
  'operator|report-interaction opened com.example.weather --device tablet'
  'operator provider|donate phone com.example.weather/ShowRain(place=home)'
  "operator provider|publish csv $work/rain.csv --device phone --widget com.example.weather/Rain"
  'operator|donate phone com.example.sport/ShowScore(team=home)'
  "operator|publish csv $work/rain.csv --device phone --widget com.example.sport/Score"
  'operator provider|remove-kinds phone com.example.weather Nothing'
  'operator provider|remove-intent-types phone com.example.weather Nothing'
  'operator|remove-kinds phone com.example.sport Nothing'
  'operator display|remove-app phone com.example.nothing'
  'operator viewer display|suggest phone --on lock-screen --watch'
  'operator viewer|statistics phone'
  'operator viewer display|focus-filter list phone'
  'operator display|focus-filter remove phone work com.example.weather Nothing'
  'operator provider|events phone --app com.example.weather'
  'operator|events phone --app com.example.sport'
)

# A selection of the calls, for certificates and users.
few=()
for index in 0 1 9 10 11 16 17 20 22 24 30; do few+=("${calls[$index]}"); done

# Runs a call. Commands that do not end by themselves are killed after their first output.
try() { # HOW ROLE ARGUMENTS: sets output and got
  case "$3 ${*: -1}" in
    watch* | publish* | events* | *--watch)
      as "$@"
      : >"$work/output"
      "${run[@]}" >"$work/output" 2>&1 &
      local child=$!
      until [ -s "$work/output" ] || ! kill -0 $child 2>/dev/null; do sleep 0.05; done
      # A rejected command ends by itself after its message.
      grep -q '^marquee: ' "$work/output" || kill $child 2>/dev/null
      wait $child
      got=$?
      output=$(<"$work/output")
      ;;
    *)
      as "$@"
      output=$("${run[@]}" 2>&1)
      got=$?
      ;;
  esac
}

matrix() { # HOW ROLES
  local how=$1 role line allowed command output got rejection
  shift
  [ "$how" = token ] || local calls=("${few[@]}")
  for role in "$@"; do
    rejection=PERMISSION_DENIED
    [ "$role" = nobody ] && rejection=UNAUTHENTICATED
    for line in "${calls[@]}"; do
      allowed=${line%%|*} command=${line#*|}
      command=${command//NEW/$how-$role}
      local arguments=()
      read -ra arguments <<<"$command"
      try "$how" "$role" "${arguments[@]}"
      if [ "$allowed" = everybody ] || [[ " $allowed " == *" $role "* ]]; then
        if [ $got = 0 ]; then pass; else fail "$how $role may $command: $got, $output"; fi
      elif [ $got = 1 ] && [[ $output == *$rejection* ]]; then
        pass
      else
        fail "$how $role may not $command: $got, $output"
      fi
    done
  done
}
matrix certificate operator viewer provider display stranger nobody
matrix token operator viewer provider display stranger
if [ "$(id -u)" = 0 ]; then
  matrix user operator viewer provider display stranger
else
  echo "Skipped: Unix users require root."
fi

# Invalid credentials.
expect 69 'no server answers' certificate forger devices
expect 1 'UNAUTHENTICATED: token signature is invalid' token forger devices
expect 1 'UNAUTHENTICATED: the token has expired' token late devices
expect 0 '' certificate nobody health

# Nothing is sent unencrypted to other machines unless explicitly allowed.
output=$("$work/marquee" devices --server tcp:192.0.2.1:9 --token-file "$work/operator.token" 2>&1)
[ $? = 64 ] && [[ $output == *'requires TLS'* ]] && pass || fail "unencrypted token: $output"
output=$("$work/marqueed" --data-dir "$work/other" --listen tcp:0.0.0.0:0 --allow-remote 2>&1)
[ $? = 64 ] && [[ $output == *allow-plaintext* ]] && pass || fail "plain TCP: $output"

# A revoked permission: the display's watches end, and it cannot begin others.
watches=('watch phone/home' 'suggest phone --on lock-screen --watch')
children=()
for index in "${!watches[@]}"; do
  as token display ${watches[$index]}
  : >"$work/output-$index"
  "${run[@]}" >"$work/output-$index" 2>&1 &
  children[index]=$!
  until [ -s "$work/output-$index" ] || ! kill -0 ${children[$index]} 2>/dev/null; do sleep 0.05; done
done
policy operator viewer provider >"$work/access.yaml"
kill -HUP $server
for index in "${!watches[@]}"; do
  wait ${children[$index]}
  [ $? = 1 ] && grep -q PERMISSION_DENIED "$work/output-$index" && pass ||
    fail "${watches[$index]} continues: $(<"$work/output-$index")"
  expect 1 PERMISSION_DENIED token display ${watches[$index]}
done
expect 0 '' token viewer stacks phone

# An invalid policy is reported and changes nothing.
echo 'rules: [{everybody: true}]' >"$work/access.yaml"
kill -HUP $server
for _ in $(seq 100); do
  grep -q 'not reloaded' "$work/log" && break
  sleep 0.05
done
grep -q 'rules\[0\].everybody: unknown key' "$work/log" && pass || fail "the log does not name the error"
expect 0 '' token viewer stacks phone

# The log at level trace contains no token.
grep -q -F -f <(cat "$work"/*.token | tr . '\n') "$work/log" && fail "a token is in the log" || pass

echo "$passed passed, $failed failed"
[ $failed = 0 ]
