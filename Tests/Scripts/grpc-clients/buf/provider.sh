#!/bin/bash
# A provider: registers a widget kind, and publishes a timeline whenever the server requests one.
# Usage: provider.sh BUF ADDRESS [TOKEN-FILE ROOTS-FILE]
. "$(dirname "$0")/connection.sh"
app='"device": "kitchen", "app": "com.example.weather"'
kind='{"name": "Forecast", "displayName": "Forecast", "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}'
call Provider/RegisterKinds "{$app, \"kinds\": [$kind]}" >/dev/null || exit

coproc stream { call Provider/Provide @-; }
echo "{\"attach\": {$app}}" >&"${stream[1]}"
number=0 event=
while read -r -u "${stream[0]}" line; do
  case $line in
    '"attached":'*) echo attached ;;
    '"reload":'*)
      number=$((number + 1))
      content="{\"mediaType\": \"text/plain\", \"data\": \"$(printf 'Rain until noon' | base64)\"}"
      relevance='{"score": 50, "durationMs": 3600000}'
      echo "{\"timeline\": {\"publishId\": $number, \"widget\": $widget, \"policy\": {\"never\": true}, \"commit\": true,
        \"entries\": [{\"dateMs\": $(date +%s)000, \"relevance\": $relevance, \"content\": $content}]}}" >&"${stream[1]}"
      ;;
    '"accepted":'* | '"rejected":'*) event=${line#\"} ;;
    '"publishId":'*) echo "${event%%\"*} $(tr -cd 0-9 <<<"$line")" ;;
  esac
done
