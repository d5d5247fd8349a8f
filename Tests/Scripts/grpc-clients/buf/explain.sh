#!/bin/bash
# An operator: asks why a stack shows its front, and what keeps a widget from the front.
# Usage: explain.sh BUF ADDRESS [TOKEN-FILE ROOTS-FILE]
. "$(dirname "$0")/connection.sh"
# Prints a value of a JSON document on the standard input by a Python expression of `message`.
value() { python3 -c "import json, sys; message = json.load(sys.stdin); print($1)"; }

explained=$(call Admin/Explain '{"device": "kitchen", "stack": "home"}') || exit
value '"front {app}/{name}".format(**message["explanation"]["front"]["kind"])' <<<"$explained"
answer=$(call Admin/WhyNot "{\"device\": \"kitchen\", \"stack\": \"home\", \"widget\": $widget}") || exit
value '"why not: " + message["summary"]' <<<"$answer"
