#!/bin/bash
# A provider, a display or an operator with "buf curl", which learns methods and messages from the server by reflection.
# Usage: buf.sh BUF provider|display|explain ADDRESS [TOKEN-FILE ROOTS-FILE]
set -uo pipefail
buf=$1 role=$2 address=$3
options=(--protocol grpc)
case $address in
  unix:*) options+=(--http2-prior-knowledge --unix-socket "${address#unix:}") url=http://localhost ;;
  *) options+=(--http2-prior-knowledge) url=http://$address ;;
esac
if [ $# -gt 3 ]; then
  options=(--protocol grpc --cacert "$5" --servername localhost --header "authorization: Bearer $(cat "$4")")
  options+=(--reflect-header '*')
  url=https://$address
fi
# Calls METHOD of package marquee.v1 with a JSON request; prints the responses in JSON.
call() { "$buf" curl "${options[@]}" --data "$2" "$url/marquee.v1.$1"; }
# Prints the values of a JSON document on the standard input that match a Python expression of `message`.
value() { python3 -c "import base64, json, sys; message = json.load(sys.stdin); print($1)"; }

widget='{"kind": {"app": "com.example.weather", "name": "Forecast"}}'
case $role in
  provider)
    app='"device": "kitchen", "app": "com.example.weather"'
    call Provider/RegisterKinds "{$app, \"kinds\": [{\"name\": \"Forecast\",
      \"families\": [\"WIDGET_FAMILY_SYSTEM_SMALL\"]}]}" >/dev/null || exit
    exec {events}< <(exec "$buf" curl "${options[@]}" --data "{$app}" "$url/marquee.v1.Provider/WatchReloads")
    watch=$! count=0
    trap 'kill $watch' EXIT
    while read -r -u $events line; do
      case $line in
        *'"attached":'*) echo attached ;;
        *'"reload":'*)
          call Provider/PublishTimeline "{$app, \"widget\": $widget, \"policy\": {\"never\": true}, \"entries\": [
            {\"dateMs\": \"$(date +%s)000\", \"relevance\": {\"score\": 50, \"durationMs\": \"3600000\"}, \"content\":
            {\"mediaType\": \"text/plain\", \"data\": \"$(printf 'Rain until noon' | base64)\"}}]}" >/dev/null &&
            echo "accepted $((++count))"
          ;;
      esac
    done
    ;;
  explain)
    explained=$(call Admin/Explain '{"device": "kitchen", "stack": "home"}') || exit
    value '"front {app}/{name}".format(**message["explanation"]["front"]["kind"])' <<<"$explained"
    answer=$(call Admin/WhyNot "{\"device\": \"kitchen\", \"stack\": \"home\", \"widget\": $widget}") || exit
    value '"why not: " + message["summary"]' <<<"$answer"
    ;;
  display)
    report() { call Display/Report "{\"device\": \"kitchen\", $1}" >/dev/null; }
    # Each update is a document on several lines, whose values are found as they arrive.
    exec {updates}< <(exec "$buf" curl "${options[@]}" --data '{"device": "kitchen"}' "$url/marquee.v1.Display/Watch")
    watch=$! watching=
    while read -r -u $updates line; do
      case $watching$line in
        '"id": "home"'* | '"id":"home"'*)
          watching=yes:
          echo "watching ['home']"
          report '"stackShown": "home"'
          call Display/EditStack \
            "{\"device\": \"kitchen\", \"stack\": \"home\", \"add\": {\"widget\": $widget}}" >/dev/null
          ;;
        'yes:"data": "'* | 'yes:"data":"'*)
          line=${line#*:*\"}
          echo "shows $(base64 -d <<<"${line%%\"*}")"
          report "\"tapped\": {\"stack\": \"home\", \"widget\": $widget}"
          kill $watch
          break
          ;;
      esac
    done
    ;;
esac
