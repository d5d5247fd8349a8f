# Connects to a Marquee server with "buf curl", which learns the methods and messages by reflection.
# BUF ADDRESS [TOKEN-FILE ROOTS-FILE] are the arguments of each client.
set -uo pipefail
buf=$1 address=$2
options=(--protocol grpc --http2-prior-knowledge) url=http://$address
if [[ $address == unix:* ]]; then
  options+=(--unix-socket "${address#unix:}") url=http://localhost
elif [ $# -gt 2 ]; then
  options=(--protocol grpc --cacert "$4" --servername localhost --header "authorization: Bearer $(cat "$3")")
  options+=(--reflect-header '*')
  url=https://$address
fi
widget='{"kind": {"app": "com.example.weather", "name": "Forecast"}}'
# Calls METHOD of package marquee.v1 with a request in JSON; prints the responses, each on several lines. A request @-
# is the standard input, with any number of messages.
call() { "$buf" curl "${options[@]}" --data "$2" "$url/marquee.v1.$1"; } # METHOD REQUEST
