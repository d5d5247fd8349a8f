#!/bin/bash
# A display: adds a widget to a stack, watches the stack, and reports a tap on the first content that it shows.
# Usage: display.sh BUF ADDRESS [TOKEN-FILE ROOTS-FILE]
. "$(dirname "$0")/connection.sh"
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
      call Display/EditStack "{\"device\": \"kitchen\", \"stack\": \"home\", \"add\": {\"widget\": $widget}}" >/dev/null
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
