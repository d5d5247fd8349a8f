#!/bin/bash
# Writes the two messages that all peers are measured with, serialized: DIRECTORY/small.pb and DIRECTORY/timeline.pb.
#
# small: a grpc.health.v1.HealthCheckRequest whose service is 128 times the letter m: 131 bytes.
#
# timeline: a marquee.v1.TimelinePart with publish_id 1, the widget of kind Agenda of com.example.bench without a
# configuration, the policy at_end, 24 entries, and commit: 1 335 bytes. Entry i, from 0, has the date
# 2026-01-01T00:00:00Z and i hours, the relevance score i + 1 for 3 600 000 ms, and content of the media type text/plain
# whose data is "Agenda HH:00Z" with the entry's hour.
# Usage: messages.sh DIRECTORY
set -euo pipefail
out=$(realpath "${1:?Usage: messages.sh DIRECTORY}")
cd "$(dirname "$0")/../../../Protos"

small() {
  printf 'service: "'
  printf 'm%.0s' {1..128}
  printf '"\n'
}

timeline() {
  echo 'publish_id: 1 widget { kind { app: "com.example.bench" name: "Agenda" } } policy { at_end: true } commit: true'
  local hour date_ms
  for hour in {0..23}; do
    date_ms=$((1767225600000 + hour * 3600000))
    printf 'entries { date_ms: %d relevance { score: %d duration_ms: 3600000 }' "$date_ms" $((hour + 1))
    printf ' content { media_type: "text/plain" data: "Agenda %02d:00Z" } }\n' "$hour"
  done
}

small | protoc --encode=grpc.health.v1.HealthCheckRequest grpc/health/v1/health.proto >"$out/small.pb"
timeline | protoc --encode=marquee.v1.TimelinePart marquee/v1/provider.proto >"$out/timeline.pb"
