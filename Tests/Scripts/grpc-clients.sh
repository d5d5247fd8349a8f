#!/bin/bash
# Build in debug mode, and test real servers with gRPC clients as provider, display and operator: in plain text, over a
# Unix socket, and with TLS and tokens, in Python (grpcio and grpclib), C++ and Swift, and with buf by reflection; then
# deadlines, cancellation, limits, metadata, access and shutdown.
# Installs missing Debian packages first, grpcio and grpclib in .build/grpc, and buf in .build/buf. Succeeds with a
# message if grpcio cannot be installed, and skips the other clients that cannot be; fails instead with REQUIRE_CLIENTS=1.
# Ends with "N passed, N failed".
# Usage: Tests/Scripts/grpc-clients.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
Tests/Scripts/build-debug.sh marqueed marquee || exit
version=1.85.1
clients=$PWD/Tests/Scripts/grpc-clients
python=$PWD/.build/grpc/bin/python

article=Sources/MarqueeDaemon/MarqueeDaemon.docc/GRPCClients.md
article=$PWD/$article
# Prints the line of the article that begins with WORDS.
command_of_article() { grep "^$1" $article || { echo "'$1' is missing from the article" >&2; exit 1; }; }
install=$(command_of_article 'pip install')

if [ "$($python -c 'import grpc, grpc_health, grpc_tools; print(grpc.__version__)' 2>/dev/null)" != $version ]; then
  rm -rf .build/grpc
  if ! python3 -m venv .build/grpc || ! PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ONLY_BINARY=:all: \
    PATH="$PWD/.build/grpc/bin:$PATH" eval "$install"; then
    rm -rf .build/grpc
    echo "Skipped: grpcio $version cannot be installed." >&2
    [ -z "${REQUIRE_CLIENTS:-}" ]
    exit
  fi
fi
languages=(grpcio)
# Skips clients because of REASON, which is a failure with REQUIRE_CLIENTS=1.
skip() { # REASON
  echo "Skipped: $1." >&2
  [ -z "${REQUIRE_CLIENTS:-}" ] || exit 1
}
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ONLY_BINARY=:all:
# Pure Python, with dependencies that are built when they are installed.
if PIP_ONLY_BINARY='' $python -m pip install grpclib==0.4.9; then
  languages+=(grpclib)
else
  skip "grpclib cannot be installed"
fi
buf=$PWD/.build/buf/bin/buf
buf_version=$(sed -n 's/^version=//p' Tests/Scripts/protos.sh)
if [ "$($buf --version 2>/dev/null)" = "$buf_version" ] ||
  { python3 -m venv .build/buf && .build/buf/bin/pip install buf-bin=="$buf_version"; }; then
  languages+=(buf)
else
  skip "buf $buf_version cannot be installed"
fi
if Deploy/setup.sh g++ libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc; then
  languages+=(cpp)
else
  skip "gRPC for C++ cannot be installed"
fi

work=$(mktemp -d /tmp/marquee-grpc-XXXXXX)
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

# The article's stubs, and its copies of the clients.
mkdir "$work/stubs"
ln -s "$PWD/Protos" "$work/Protos"
(cd "$work" && PATH="$(dirname "$python"):$PATH" && eval "$(command_of_article 'python -m grpc_tools')") || exit
[ -d "$work/stubs/marquee" ] || { echo "the article's commands generate no stubs" >&2; exit 1; }
for client in connection.py provider.py watch.py buf/connection.sh buf/provider.sh; do
  if $python - $article "$clients/$client" <<<'import sys
article, client = (open(file).read() for file in sys.argv[1:])
language = "sh" if sys.argv[2].endswith(".sh") else "python"
sys.exit(f"```{language}\n{client}```" not in article or client.count("\n") > 60)'; then pass; else
    fail "the article's copy of $client differs, or has more than 60 lines"
  fi
done
export PYTHONPATH=$work/stubs PYTHONDONTWRITEBYTECODE=1
if [[ " ${languages[*]} " == *" grpclib "* ]]; then
  PATH="$(dirname "$python"):$PATH" $python -m grpc_tools.protoc -I Protos --grpclib_python_out "$work/stubs" \
    Protos/marquee/v1/*.proto || exit
fi
# The clients in C++.
if [[ " ${languages[*]} " == *" cpp "* ]]; then
  cpp=$PWD/.build/grpc-cpp
  sum=$(cat Protos/marquee/v1/*.proto "$clients"/cpp/* | sha256sum)
  if [ "$(cat "$cpp/sum" 2>/dev/null)" != "$sum" ]; then
    rm -rf "$cpp" && mkdir -p "$cpp" && protoc -I Protos --cpp_out="$cpp" --grpc_out "$cpp" \
      --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" Protos/marquee/v1/*.proto || exit
    messages=("$cpp"/marquee/v1/{admin,display,explanation,provider,query,widget}.pb.cc)
    printf '#include "provider.cc"\n#include "marquee/v1/provider.grpc.pb.cc"\n' >"$cpp/provider-client.cc"
    printf '#include "display.cc"\n#include "marquee/v1/display.grpc.pb.cc"\n' >"$cpp/display-client.cc"
    printf '#include "explain.cc"\n#include "marquee/v1/admin.grpc.pb.cc"\n' >"$cpp/explain-client.cc"
    for file in "${messages[@]}" "$cpp"/*-client.cc; do echo "$file"; done |
      xargs -P 2 -I{} g++ -std=c++17 -Wall -I"$cpp" -I"$clients/cpp" -c {} -o {}.o || exit
    for client in provider display explain; do
      g++ "$cpp/$client-client.cc.o" "${messages[@]/%/.o}" -o "$cpp/$client" $(pkg-config --libs grpc++ protobuf) || exit
    done
    echo "$sum" >"$cpp/sum"
  fi
fi

# The clients in Swift, in the folder of Marquee's debug build: the packages of both are compiled once. The commands are
# the article's. Without the cached build plan, which may be that of the other package.
swift_options=(--package-path "$clients/swift" --scratch-path "$PWD/.build" --disable-build-manifest-caching)
swift() { command swift "$@" "${swift_options[@]}"; }
if command swift package resolve "${swift_options[@]:0:4}" >"$work/resolution" 2>&1; then
  languages+=(swift)
  mkdir "$work/swift"
  ln -s "$PWD/Protos" "$clients/swift/Sources" "$work/swift"
  sum=$(cat Protos/marquee/v1/*.proto "$article" "$clients/swift/Package.swift" | sha256sum)
  if [ "$(cat .build/grpc-swift.sum 2>/dev/null)" != "$sum" ] || [ ! -d "$clients/swift/Sources/Connection/marquee" ]; then
    (cd "$work/swift" && eval "$(command_of_article 'swift build --product protoc-gen-swift')" &&
      eval "$(command_of_article 'swift build --product protoc-gen-grpc')" &&
      PATH="$OLDPWD/.build/debug:$PATH" eval "$(command_of_article 'protoc ')") || exit
    echo "$sum" >.build/grpc-swift.sum
  fi
  swift build || exit
  mkdir "$work/swift/bin"
  cp .build/debug/{provider,display,explain} "$work/swift/bin"
else
  skip "the packages of the Swift clients cannot be fetched: $(tail -n 1 "$work/resolution")"
fi
unset -f swift
if $python - $article "$clients/swift/Sources/Provider/Provider.swift" <<<'import sys
article, client = (open(file).read() for file in sys.argv[1:])
sys.exit(f"```swift\n{client}```" not in article)'; then pass; else fail "the article's copy of Provider.swift differs"; fi

# Watches are retried.
totals=$($python "$clients/checks.py" watches)
echo "$totals"
[[ $(tail -n 1 <<<"$totals") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || fail "the checks of watches did not end"
passed=$((passed + ${BASH_REMATCH[1]:-0})) failed=$((failed + ${BASH_REMATCH[2]:-0}))

# Starts a server in the directory NAME; sets `server` to its process, and `port` to its TCP address.
serve() { # NAME OPTIONS
  local name=$1
  shift
  mkdir -p "$work/$name"
  "$work/marqueed" --data-dir "$work/$name/data" --listen "unix:$work/$name/socket" --listen tcp:127.0.0.1:0 \
    --slow-call-threshold 0 "$@" 2>"$work/$name/log" &
  server=$!
  servers+=("$server")
  for _ in $(seq 100); do
    grep -q '] listening' "$work/$name/log" && break
    sleep 0.1
  done
  port=$(grep -o 'tcp:127.0.0.1:[0-9]*' "$work/$name/log" | head -1)
  port=${port#tcp:}
  [ -n "$port" ] || { cat "$work/$name/log"; exit 1; }
}
owner() { "$work/marquee" "${@:2}" --server "unix:$work/$1/socket"; }

await() { # FILE WORDS
  for _ in $(seq 200); do
    grep -q "$2" "$1" && return
    sleep 0.05
  done
  fail "'$2' expected: $(cat "$1")"
}
contains() { # FILE WORDS
  if grep -q "$2" "$1"; then pass; else fail "'$2' expected in $1: $(cat "$1")"; fi
}

# Becomes a client: PROVIDER, DISPLAY or EXPLAIN in LANGUAGE.
client() { # LANGUAGE CLIENT ADDRESS [TOKEN-FILE ROOTS-FILE]
  case $1 in
    grpcio) exec timeout 60 "$python" "$clients/$2.py" "${@:3}" ;;
    grpclib) exec timeout 60 "$python" "$clients/grpclib/$2.py" "${@:3}" ;;
    cpp) exec timeout 60 "$cpp/$2" "${@:3}" ;;
    swift) exec timeout 60 "$work/swift/bin/$2" "${@:3}" ;;
    buf) exec timeout 60 "$clients/buf/$2.sh" "$buf" "${@:3}" ;;
  esac
}

# A provider, a display and an operator of one device, in LANGUAGE. DIRECTORY has a token for each role.
walk() { # LANGUAGE NAME ADDRESS [DIRECTORY]
  local out=$work/$2 role access=()
  (PATH="$work:$PATH" MARQUEE_SERVER="unix:$out/socket" && export MARQUEE_SERVER &&
    eval "$(command_of_article 'marquee ')") >/dev/null || fail "$2: no device"
  for role in provider display operator; do
    access[${#access[@]}]=${4:+$4/$role.token}
  done
  client "$1" provider "$3" ${4:+"${access[0]}" "$4/authority.pem"} >"$out/provider" 2>&1 &
  local provider=$!
  await "$out/provider" attached
  (client "$1" display "$3" ${4:+"${access[1]}" "$4/authority.pem"}) >"$out/display" 2>&1
  contains "$out/display" "watching \['home'\]"
  contains "$out/display" "shows Rain until noon"
  contains "$out/provider" "accepted 1"
  (client "$1" explain "$3" ${4:+"${access[2]}" "$4/authority.pem"}) >"$out/operator" 2>&1
  contains "$out/operator" "front com.example.weather/Forecast"
  contains "$out/operator" "why not: Forecast is in front"
  # The same data by the native protocol, on the same endpoint's server.
  owner "$2" inspect kitchen/home >"$out/native" 2>&1 || fail "$2: $(cat "$out/native")"
  contains "$out/native" "Forecast"
  kill $provider
  wait $provider 2>/dev/null
}

echo 'rules: [{loopback: true, role: operator}]' >"$work/open.yaml"
for language in "${languages[@]}"; do
  serve "unix-$language"
  walk "$language" "unix-$language" "unix:$work/unix-$language/socket"
  serve "plain-$language" --access-policy "$work/open.yaml"
  walk "$language" "plain-$language" "$port"
done

serve plain --access-policy "$work/open.yaml" --metrics-listen tcp:127.0.0.1:0
walk grpcio plain "$port"
metrics=$(grep -o 'http://[^ "]*/metrics' "$work/plain/log" | head -1)
totals=$($python "$clients/checks.py" plain "$port" "$metrics" "$work/plain/log" $server)
echo "$totals"
[[ $(tail -n 1 <<<"$totals") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || fail "the checks did not end"
passed=$((passed + ${BASH_REMATCH[1]:-0})) failed=$((failed + ${BASH_REMATCH[2]:-0}))
if wait $server; then pass; else fail "the server exited with $?"; fi

tls=$work/tls
mkdir "$tls"
credentials=$tls
. Tests/Scripts/credentials.sh
create_credentials localhost operator provider display
signed_certificate operator.example.com operator
openssl genpkey -algorithm ed25519 -out "$tls/forged.key"
token operator forged.key >"$tls/forger.token"
token operator issuer.key $(($(date +%s) - 1)) >"$tls/late.token"
echo "no.token.at-all" >"$tls/garbage.token"
access_policy '{certificate: operator.example.com, role: operator}' >"$tls/access.yaml"
for language in "${languages[@]}"; do
  serve "secure-$language" --access-policy "$tls/access.yaml" --tls-certificate-chain "$tls/server.pem" \
    --tls-private-key "$tls/server.key" --tls-client-roots "$tls/authority.pem"
  walk "$language" "secure-$language" "$port" "$tls"
done
totals=$($python "$clients/checks.py" access "$port" "$tls")
echo "$totals"
[[ $(tail -n 1 <<<"$totals") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || fail "the checks of access did not end"
passed=$((passed + ${BASH_REMATCH[1]:-0})) failed=$((failed + ${BASH_REMATCH[2]:-0}))
# The native client on the same port, with the same token.
"$work/marquee" devices --server "tcp:$port" --tls-roots "$tls/authority.pem" --tls-server-name localhost \
  --token-file "$tls/operator.token" >"$tls/devices" 2>&1
contains "$tls/devices" kitchen

# A protocol that is switched off.
serve native --protocols native --access-policy "$work/open.yaml"
$python "$clients/explain.py" "$port" >"$work/native/operator" 2>&1
contains "$work/native/operator" UNAVAILABLE
serve grpc --protocols grpc --access-policy "$work/open.yaml"
$python "$clients/explain.py" "$port" >"$work/grpc/operator" 2>&1
contains "$work/grpc/operator" NOT_FOUND
if owner grpc devices >"$work/grpc/native" 2>&1; then fail "the native protocol is switched off"; else pass; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
