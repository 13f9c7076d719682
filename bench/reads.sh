#!/usr/bin/env bash
# Compares reads of agent jobs through the API with the same bytes from a bare axum route.
#
#   bench/reads.sh DOCWRIGHT BARE_ROUTE [DATABASE_URL]
#
# BARE_ROUTE is `cargo build --release -p docwright --example bare_route`. Without a DATABASE_URL, the database is
# SQLite; otherwise, it is an empty PostgreSQL database. Needs wrk, curl, and a POSIX system. Prints requests per
# second, the 99th percentile of response times, and the share of the bare route: for one job, and for a thousand
# different jobs, so that few requests share a read.
set -euo pipefail

docwright=$(realpath "$1") bare=$(realpath "$2")
seconds=${SECONDS_EACH:-5}
work=$(mktemp -d)
servers=()
finish() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT

if [ $# -gt 2 ]; then
  export DOCWRIGHT_DATABASE_URL=$3
  export DOCWRIGHT_ROOT_SECRET=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
fi
admin() { "$docwright" admin --json --data "$work/data" "$@" | tr -d '\n'; }
field() { sed -E "s/.*\"$1\":[[:space:]]*\"([^\"]*)\".*/\1/"; }

mkdir -p "$work/docs"
echo '{"theme":"mint","name":"T","colors":{"primary":"#000000"},"navigation":{"pages":["index"]}}' > "$work/docs/docs.json"
organization=$(admin organization create Bench | field id)
key=$(admin key create bench --organization "$organization" | field key)
# This process runs no jobs, so workers don't affect the measurement.
DOCWRIGHT_ROLE=api "$docwright" serve --listen 127.0.0.1:8181 --data "$work/data" > "$work/serve.log" 2>&1 &
servers+=($!)
ask() { curl --silent --show-error --retry 50 --retry-delay 1 --retry-connrefused -H "Authorization: Bearer $key" "$@"; }
ask -o /dev/null http://127.0.0.1:8181/healthz

# A project can send 100 prompts an hour.
for number in 1 2 3 4 5 6 7 8 9 10; do
  project=$(admin project create "Docs $number" --organization "$organization" --repository "$work/docs" | field id)
  for _ in $(seq 100); do
    printf 'url = "http://127.0.0.1:8181/v2/agent/%s/job"\ndata = "{\\"prompt\\":\\"fix the links\\"}"\n' "$project"
    printf 'header = "Authorization: Bearer %s"\nheader = "Content-Type: application/json"\n' "$key"
    printf 'output = "/dev/null"\ndump-header = "-"\nnext\n'
  done > "$work/requests"
  # No parallel request follows the last one.
  sed -i '$d' "$work/requests"
  curl --silent -K "$work/requests" | tr -d '\r' | sed -n 's/^location: //Ip' >> "$work/paths"
done
echo "$(wc -l < "$work/paths") jobs"
one=$(head -1 "$work/paths")
ask "http://127.0.0.1:8181$one" > "$work/payload"
"$bare" 127.0.0.1:8182 "$work/payload" &
servers+=($!)
cat > "$work/many.lua" <<LUA
local paths, number = {}, 0
for path in io.lines("$work/paths") do paths[#paths + 1] = path end
-- Threads begin at different places.
local started = 0
function setup(thread) thread:set("first", started) started = started + 499 end
function init() number = first end
function request()
  number = number + 1
  return wrk.format("GET", paths[number % #paths + 1])
end
LUA

measure() { # name, port, path, connections, more arguments of wrk
  local threads=1
  if [ "$4" -gt 1 ]; then threads=2; fi
  local url="http://127.0.0.1:$2$3" name=$1 connections=$4
  shift 4
  wrk -t "$threads" -c "$connections" -d 1s -H "Authorization: Bearer $key" "$@" "$url" > /dev/null
  wrk --latency -t "$threads" -c "$connections" -d "${seconds}s" -H "Authorization: Bearer $key" "$@" "$url" > "$work/wrk"
  rate=$(awk '/Requests\/sec/ {print $2}' "$work/wrk")
  printf '%-28s %3d connections  %8.0f requests/s  99%% in %8s' "$name" "$connections" "$rate" "$(awk '$1 == "99%" {print $2}' "$work/wrk")"
  if [ "$name" = "bare route" ]; then base=$rate; echo; else awk -v a="$rate" -v b="$base" 'BEGIN {printf "  %3.0f%%\n", 100 * a / b}'; fi
  grep -E 'Non-2xx|Socket errors' "$work/wrk" || true
}

for connections in 1 32; do
  measure "bare route" 8182 "$one" "$connections"
  measure "/healthz" 8181 /healthz "$connections"
  measure "one job" 8181 "$one" "$connections"
  measure "a thousand different jobs" 8181 "$one" "$connections" -s "$work/many.lua"
done
