#!/bin/bash
# Build in debug mode, and test real servers with curl (in JSON) and connectrpc as provider, display and operator: over a
# Unix socket, in plain text, and with TLS and tokens; then HTTP/2, the safety of browsers' users, connectrpc in both
# codecs, and the OpenAPI description.
# Installs missing Debian packages first, and connectrpc and jsonschema in .build/connect; without them, their checks are
# skipped with a message. Ends with "N passed, N failed".
# Usage: Tests/Scripts/connect-clients.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
Deploy/setup.sh nodejs && Tests/Scripts/build-debug.sh marqueed marquee || exit
version=0.13.0
clients=$PWD/Tests/Scripts/connect-clients
article=Sources/MarqueeDaemon/MarqueeDaemon.docc/ConnectClients.md
article=$PWD/$article

work=$(mktemp -d /tmp/marquee-connect-XXXXXX)
servers=()
end() {
  # A forked child that is killed before exec runs this trap too.
  [ "$BASHPID" = $$ ] || return
  [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
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
contains() { # FILE WORDS
  if grep -qF -- "$2" "$1"; then pass; else fail "'$2' expected in $1: $(cat "$1")"; fi
}
await() { # FILE WORDS
  for _ in $(seq 200); do
    grep -qsF -- "$2" "$1" && { pass; return; }
    sleep 0.05
  done
  fail "'$2' expected: $(cat "$1")"
}

# Starts a server in the directory NAME; sets `server` to its process, and `port` to its TCP address.
serve() { # NAME OPTIONS
  local name=$1
  shift
  mkdir -p "$work/$name"
  "$work/marqueed" --data-dir "$work/$name/data" --listen "unix:$work/$name/socket" --listen tcp:127.0.0.1:0 \
    "$@" 2>"$work/$name/log" &
  server=$!
  servers+=("$server")
  for _ in $(seq 100); do
    grep -q '] listening' "$work/$name/log" && break
    sleep 0.1
  done
  port=$(grep -o 'tcp:127.0.0.1:[0-9]*' "$work/$name/log" | head -1)
  port=${port##*:}
  [ -n "$port" ] || { cat "$work/$name/log"; exit 1; }
}

# Prints the code block of the article after the line "<!-- NAME -->".
block() { # NAME
  sed -n "/^<!-- $1 -->\$/,/^\`\`\`\$/p" "$article" | sed '1,/^```[a-z]*$/d; $d'
}

# Calls METHOD of package marquee.v1 with a JSON request; prints the response and its status. The array `to` has curl's
# options for the server, and its URL at the end; `as` those of the role.
call() { # METHOD REQUEST [OPTIONS]
  curl -sS -w '\n%{http_code}\n' "${to[@]:0:${#to[@]}-1}" "${as[@]}" "${@:3}" -H 'Content-Type: application/json' \
    --data-binary "$2" "${to[-1]}/marquee.v1.$1"
}
# Prints the article's program NAME, for the server at URL.
program() { block "$1" | sed "s|http://127.0.0.1:7400|$2|"; }
# A message of a stream in its envelope.
envelope() { printf "\\x00\\x00\\x00\\x00\\x$(printf %02x ${#1})%s" "$1"; }
# Opens a stream of METHOD with a JSON request of less than 256 bytes in the background, and writes its messages to FILE.
open_stream() { # METHOD REQUEST FILE
  envelope "$2" >"$3.request"
  curl -sSN "${to[@]:0:${#to[@]}-1}" "${as[@]}" -H 'Content-Type: application/connect+json' \
    --data-binary "@$3.request" "${to[-1]}/marquee.v1.$1" 2>"$3.errors" \
    > >(python3 "$clients/frames.py" >"$3") &
}
widget='{"kind": {"app": "com.example.weather", "name": "Forecast"}}'

# An operator, a provider and a display of one device. DIRECTORY has a token for each role.
walk() { # NAME [DIRECTORY]
  local out=$work/$1
  role() { as=(); if [ -n "${2:-}" ]; then as=(-H "Authorization: Bearer $(cat "$2/$1.token")"); fi; }
  MARQUEE_SERVER="unix:$out/socket" "$work/marquee" device add kitchen --time-zone Europe/Berlin >/dev/null &&
    MARQUEE_SERVER="unix:$out/socket" "$work/marquee" stack create kitchen/home --family systemSmall >/dev/null ||
    fail "$1: no device"
  role provider "${2:-}"
  call Provider/RegisterKinds '{"device": "kitchen", "app": "com.example.weather", "kinds": [{"name": "Forecast",
    "displayName": "Forecast", "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}]}' >"$out/register" 2>&1
  contains "$out/register" '{}'
  open_stream Provider/WatchReloads '{"device": "kitchen", "app": "com.example.weather"}' "$out/reloads"
  local reloads=$!
  await "$out/reloads" '"attached":{'
  role display "${2:-}"
  open_stream Display/Watch '{"device": "kitchen"}' "$out/watch"
  local watch=$!
  await "$out/watch" '"state":{'
  call Display/EditStack '{"device": "kitchen", "stack": "home",
    "add": {"widget": {"kind": {"app": "com.example.weather", "name": "Forecast"}}}}' >"$out/edit" 2>&1
  contains "$out/edit" 200
  await "$out/watch" '"name":"Forecast"'
  call Display/Report '{"device": "kitchen", "stackShown": "home"}' >"$out/report" 2>&1
  contains "$out/report" 200
  role provider "${2:-}"
  await "$out/reloads" '"reload":{"widget":{"kind":{"app":"com.example.weather","name":"Forecast"'
  call Provider/PublishTimeline '{"device": "kitchen", "app": "com.example.weather", "widget": '"$widget"',
    "policy": {"never": true}, "entries": [{"dateMs": "'"$(date +%s)000"'", "relevance": {"score": 50},
    "content": {"mediaType": "text/plain", "data": "'"$(printf "Over $1" | base64)"'"}}]}' >"$out/publish" 2>&1
  contains "$out/publish" 200
  await "$out/watch" "\"data\":\"$(printf "Over $1" | base64)\""
  call Provider/ListPlacedWidgets '{"device": "kitchen", "app": "com.example.weather"}' >"$out/placed" 2>&1
  contains "$out/placed" '"name":"Forecast"'
  role display "${2:-}"
  call Display/Report '{"device": "kitchen", "tapped": {"stack": "home", "widget": '"$widget"'}}' >"$out/tap" 2>&1
  contains "$out/tap" 200
  role operator "${2:-}"
  call Admin/Explain '{"device": "kitchen", "stack": "home"}' >"$out/explain" 2>&1
  contains "$out/explain" '"summary":'
  call Admin/WhyNot '{"device": "kitchen", "stack": "home", "widget": '"$widget"'}' >"$out/why-not" 2>&1
  contains "$out/why-not" '"summary":"Forecast is in front'
  call Admin/Explain '{"device": "nobody", "stack": "home"}' >"$out/missing" 2>&1
  contains "$out/missing" '"code":"not_found"'
  contains "$out/missing" 404
  call Admin/Explain '{"device": "kitchen", "stack": "home", "atMs": "x"}' >"$out/invalid" 2>&1
  contains "$out/invalid" '"code":"invalid_argument","message":"atMs'
  kill $watch $reloads
  wait $watch $reloads 2>/dev/null
}

# The calls of an operator and a display after a walk, in HTTP/2.
again() { # NAME [TOKEN-FILE]
  local out=$work/$1
  as=()
  [ -z "${2:-}" ] || as=(-H "Authorization: Bearer $(cat "$2")")
  curl -sS -o /dev/null -w '%{http_version} %{http_code}\n' "${to[@]:0:${#to[@]}-1}" "${as[@]}" \
    -H 'Content-Type: application/json' -d '{}' "${to[-1]}/marquee.v1.Admin/ListDevices" >"$out/version" 2>&1
  contains "$out/version" '2 200'
  call Admin/Explain '{"device": "kitchen", "stack": "home"}' >"$out/explain2" 2>&1
  contains "$out/explain2" '"summary":'
  call Admin/Explain '{"device": "nobody", "stack": "home"}' >"$out/missing2" 2>&1
  contains "$out/missing2" '"code":"not_found"'
  contains "$out/missing2" 404
  call Admin/Explain '{"device": "kitchen", "stack": "home", "atMs": "x"}' >"$out/invalid2" 2>&1
  contains "$out/invalid2" '"code":"invalid_argument","message":"atMs'
  envelope '{"device": "kitchen"}' >"$out/request2"
  curl -sSN --max-time 2 "${to[@]:0:${#to[@]}-1}" "${as[@]}" -H 'Content-Type: application/connect+json' \
    --data-binary "@$out/request2" "${to[-1]}/marquee.v1.Display/Watch" 2>"$out/errors2" |
    python3 "$clients/frames.py" >"$out/watch2" 2>&1
  contains "$out/watch2" '"name":"Forecast"'
}

serve unix
to=(--unix-socket "$work/unix/socket" http://localhost)
walk unix
to=(--http2-prior-knowledge --unix-socket "$work/unix/socket" http://localhost)
again unix
to=(--unix-socket "$work/unix/socket" http://localhost)
(cd "$work/unix" && PATH="$work:$PATH" && eval "$(block operator)") >"$work/unix/article" 2>&1
contains "$work/unix/article" '"kitchen"'
(cd "$work/unix" && eval "$(block why-not)") >"$work/unix/article" 2>&1
contains "$work/unix/article" '"explanation":{'
contains "$work/unix/article" '"summary":"Forecast is in front'

echo 'rules: [{loopback: true, role: operator}]' >"$work/open.yaml"
serve plain --access-policy "$work/open.yaml" --origins https://home.example.com
to=("http://127.0.0.1:$port")
walk plain
setsid bash -c "$(program provider "${to[0]}")" >"$work/plain/provider" 2>&1 &
provider=$!
envelope '{"device": "kitchen"}' | curl -sSN -H 'Content-Type: application/connect+json' --data-binary @- \
  "${to[0]}/marquee.v1.Display/Watch" 2>&1 | python3 "$clients/frames.py" >"$work/plain/shown" &
for _ in $(seq 100); do
  "$work/marquee" streams --server "unix:$work/plain/socket" 2>&1 | grep -q 'provider' && break
  sleep 0.1
done
call Display/Report '{"device": "kitchen", "reload": '"$widget"'}' >"$work/plain/reload" 2>&1
await "$work/plain/shown" "\"data\":\"$(base64 <<<"Rain until noon")\""
kill -- -$provider
wait $provider 2>/dev/null
if grep -q '"warnings"' "$work/plain/provider"; then fail "warnings: $(cat "$work/plain/provider")"; else pass; fi
# The last message of the stream is printed.
if bash -c "$(program provider "${to[0]}" | sed 's/"kitchen"/"nobody"/')" >"$work/plain/ended" 2>&1; then
  fail "the provider of an unknown device has succeeded"
else
  contains "$work/plain/ended" '{"error":{"code":"not_found"'
fi

to=(--http2-prior-knowledge "http://127.0.0.1:$port")
again plain
to=("http://127.0.0.1:$port")

# A page in a browser is nobody without a token, whatever its origin and address; other hosts and origins are refused.
as=()
browser() { # STATUS WORDS OPTIONS
  for _ in {1..10}; do
    call Admin/ListDevices '{}' "${@:3}" >"$work/browser" 2>&1
    # curl 7.88 fails if a response and the end of its stream arrive before the request has been sent.
    [ $? = 92 ] || break
  done
  contains "$work/browser" "$1"
  [ -z "$2" ] || contains "$work/browser" "$2"
}
for http in --http1.1 --http2-prior-knowledge; do
  to=($http "http://127.0.0.1:$port")
  browser 200 '"kitchen"'
  browser 401 'bearer token' -H 'Sec-Fetch-Site: same-origin'
  browser 401 'bearer token' -H "Origin: http://127.0.0.1:$port"
  browser 401 'bearer token' -H 'Origin: https://home.example.com'
  browser 403 '' -H 'Origin: https://evil.example'
  browser 403 '' -H 'Origin: null'
  browser 421 '' -H 'Host: 127.0.0.1.evil.com'
  browser 415 'Send the content type application/json' -H 'Content-Type: text/plain'
  browser 401 'bearer token' -H 'Sec-Fetch-Site: none' -H 'Cookie: authorization=Bearer'
  curl -sS -o /dev/null -D "$work/preflight" -X OPTIONS -H 'Origin: https://home.example.com' \
    -H 'Access-Control-Request-Method: POST' -H 'Access-Control-Request-Headers: content-type,authorization' \
    "${to[@]:0:1}" "${to[1]}/marquee.v1.Admin/ListDevices"
  contains "$work/preflight" ' 204'
  contains "$work/preflight" 'access-control-allow-origin: https://home.example.com'
done
to=("http://127.0.0.1:$port")

call Admin/ListDevices '{}' --http2-prior-knowledge >"$work/http2" 2>&1
contains "$work/http2" '"kitchen"'

# A large body, which curl announces, and a connection that is used again after errors.
head -c 2000000 /dev/zero | tr '\0' ' ' >"$work/large"
echo '{}' >>"$work/large"
call Provider/PublishTimeline "@$work/large" >"$work/large.out" 2>&1
contains "$work/large.out" '"code":"invalid_argument"'
curl -sS -v -H 'Content-Type: application/json' -d '{' "${to[0]}/marquee.v1.Admin/ListDevices" \
  --next -sS -v -H 'Content-Type: application/json' -d '{}' "${to[0]}/marquee.v1.Admin/ListDevices" \
  >"$work/reused" 2>&1
contains "$work/reused" 'Re-using existing connection'

# connectrpc, which builds messages with the stubs of the article on gRPC clients; and answers in JSON, compared with the
# OpenAPI description.
python=$PWD/.build/connect/bin/python
if [ "$($python -c 'import connectrpc, grpc_tools, jsonschema; import importlib.metadata as m; print(m.version("connectrpc"))' \
  2>/dev/null)" != $version ]; then
  rm -rf .build/connect
  python3 -m venv .build/connect && .build/connect/bin/pip install -q --disable-pip-version-check \
    --only-binary=:all: connectrpc==$version grpcio-tools==1.85.1 jsonschema==4.26.0 || rm -rf .build/connect
fi
if [ -x "$python" ]; then
  mkdir "$work/stubs"
  $python -m grpc_tools.protoc -I Protos --python_out "$work/stubs" Protos/marquee/v1/*.proto || exit
  export PYTHONPATH=$work/stubs PYTHONDONTWRITEBYTECODE=1
  for client in connection provider; do
    if $python - "$article" "$clients/$client.py" <<<'import sys
article, client = (open(file).read() for file in sys.argv[1:])
sys.exit(f"```python\n{client}```" not in article or client.count("\n") > 60)'; then pass; else
      fail "the article's copy of $client.py differs, or has more than 60 lines"
    fi
  done
  for checks in "calls.py ${to[0]#http://}" "schemas.py ${to[0]} Protos/openapi.json"; do
    # The arguments are split at spaces.
    totals=$($python $clients/$checks)
    echo "$totals"
    [[ $(tail -n 1 <<<"$totals") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || fail "$checks did not end"
    passed=$((passed + ${BASH_REMATCH[1]:-0})) failed=$((failed + ${BASH_REMATCH[2]:-0}))
  done
else
  echo "Skipped: connectrpc $version cannot be installed." >&2
fi

tls=$work/tls
mkdir "$tls"
credentials=$tls
. Tests/Scripts/credentials.sh
create_credentials localhost operator provider display
access_policy >"$tls/access.yaml"
serve secure --access-policy "$tls/access.yaml" --tls-certificate-chain "$tls/server.pem" \
  --tls-private-key "$tls/server.key" --origins https://home.example.com
to=(--cacert "$tls/authority.pem" --resolve "localhost:$port:127.0.0.1" "https://localhost:$port")
walk secure "$tls"
# Chosen by ALPN.
again secure "$tls/operator.token"
to=(--http1.1 "${to[@]}")
as=(-H "Authorization: Bearer $(cat "$tls/operator.token")")
call Admin/ListDevices '{}' >"$work/secure/older" 2>&1
contains "$work/secure/older" '"kitchen"'
to=("${to[@]:1}")
# The article's display, as in a page of an allowed origin.
program display "https://localhost:$port" >"$work/display.mjs"
token=$(cat "$tls/display.token") origin=https://home.example.com NODE_EXTRA_CA_CERTS=$tls/authority.pem \
  node --import "$clients/page.mjs" "$work/display.mjs" >"$work/page" 2>&1 &
page=$!
as=(-H "Authorization: Bearer $(cat "$tls/provider.token")")
for text in Sunny Cloudy; do
  call Provider/PublishTimeline '{"device": "kitchen", "app": "com.example.weather",
    "widget": {"kind": {"app": "com.example.weather", "name": "Forecast"}}, "policy": {"never": true}, "entries": [
    {"dateMs": "'"$(date +%s)000"'", "content": {"mediaType": "text/plain", "data": "'"$(printf $text | base64)"'"}}]}' \
    >"$work/secure/publish" 2>&1
  contains "$work/secure/publish" 200
  await "$work/page" "home: $text"
done
kill $page
wait $page 2>/dev/null
as=()
browser 401 unauthenticated
as=(-H "Authorization: Bearer $(cat "$tls/provider.token")")
browser 403 permission_denied
as=(-H "Authorization: Bearer $(cat "$tls/operator.token")")
browser 200 '"kitchen"' -H 'Origin: https://home.example.com' -H 'Sec-Fetch-Site: cross-site'
browser 200 '"kitchen"' -H "Origin: https://localhost:$port" -H 'Sec-Fetch-Site: same-origin'

# The clients of connectrpc as provider, display and operator. DIRECTORY has a token for each role.
roles() { # NAME ADDRESS [DIRECTORY]
  local out=$work/$1
  (PATH="$work:$PATH" MARQUEE_SERVER="unix:$out/socket" && export MARQUEE_SERVER &&
    marquee device add kitchen --time-zone Europe/Berlin && marquee stack create kitchen/home --family systemSmall) \
    >/dev/null || fail "$1: no device"
  # Becomes a client.
  client() { # PROGRAM ROLE ADDRESS [DIRECTORY]
    exec timeout 60 "$python" "$clients/$1.py" "$3" ${4:+"$4/$2.token" "$4/authority.pem"}
  }
  client provider provider "${@:2}" >"$out/provider" 2>&1 &
  local provider=$!
  await "$out/provider" attached
  (client display display "${@:2}") >"$out/display" 2>&1
  contains "$out/display" "watching ['home']"
  contains "$out/display" "shows Rain until noon"
  await "$out/provider" "accepted with 0 warnings"
  (client explain operator "${@:2}") >"$out/operator" 2>&1
  contains "$out/operator" "front com.example.weather/Forecast"
  contains "$out/operator" "why not: Forecast is in front"
  kill $provider
  wait $provider 2>/dev/null
}
if [ -x "$python" ]; then
  serve connectrpc-unix
  roles connectrpc-unix "unix:$work/connectrpc-unix/socket"
  serve connectrpc-plain --access-policy "$work/open.yaml"
  roles connectrpc-plain "127.0.0.1:$port"
  serve connectrpc-secure --access-policy "$tls/access.yaml" --tls-certificate-chain "$tls/server.pem" \
    --tls-private-key "$tls/server.key"
  roles connectrpc-secure "localhost:$port" "$tls"
fi

# A protocol that is switched off.
serve native --protocols native --access-policy "$work/open.yaml"
to=("http://127.0.0.1:$port") as=()
if call Admin/ListDevices '{}' >"$work/native/devices" 2>&1; then fail "Connect is switched off"; else pass; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
