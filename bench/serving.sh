#!/usr/bin/env bash
# Serves a site with docwright and with nginx's `gzip_static`, and sends both the requests of browsers.
#
#   bench/serving.sh DOCWRIGHT DOCS PAGE IMAGE
#
# DOCWRIGHT is the program, DOCS a docs root, PAGE and IMAGE are paths on the site. Needs nginx, wrk, curl, tar, and
# gzip. Neither server writes an access log. Prints requests per second, the 99th percentile of response times, and
# the bytes of a response.
set -euo pipefail

docwright=$(realpath "$1") docs=$(realpath "$2") page=$3 image=$4
seconds=${SECONDS_EACH:-5}
work=$(mktemp -d)
host=docs.example.com
servers=()
finish() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT

admin() { "$docwright" admin --json --data "$work/data" "$@"; }
field() { sed -E "s/.*\"$1\":[[:space:]]*\"([^\"]*)\".*/\1/"; }
compact() { tr -d '\n'; }

# docwright: a project, its domain, and one export, whose release becomes active.
organization=$(admin organization create Bench | compact | field id)
project=$(admin project create Docs --organization "$organization" --repository "$docs" | compact | field id)
admin domain create "$host" --project "$project" > /dev/null
key=$(admin key create bench --organization "$organization" | compact | field key)
RUST_LOG=${RUST_LOG:-warn} "$docwright" serve --listen 127.0.0.1:8181 --data "$work/data" > "$work/serve.log" 2>&1 &
servers+=($!)
ask() { curl --silent --retry 50 --retry-delay 1 --retry-connrefused -H "Authorization: Bearer $key" "$@"; }
job=$(ask -X POST http://127.0.0.1:8181/v1/static-export/jobs -H 'Content-Type: application/json' -d "{\"domain\":\"$host\"}" | compact | field jobId)
until ask "http://127.0.0.1:8181/v1/static-export/jobs/$job" | compact | grep -q '"status":"completed"'; do sleep 0.2; done
bundle=$(ask -X POST "http://127.0.0.1:8181/v1/static-export/jobs/$job/bundle" | compact | field bundleUrl)
curl --silent -o "$work/bundle.tar.gz" "$bundle"

# nginx: the same files, each with a compressed copy if that is smaller.
mkdir -p "$work/www" "$work/nginx"
tar -xmzf "$work/bundle.tar.gz" -C "$work/www"
find "$work/www" -type f -exec gzip -n -k -6 {} +
find "$work/www" -name '*.gz' | while read -r file; do
  if [ "$(stat -c %s "$file")" -ge "$(stat -c %s "${file%.gz}")" ]; then rm "$file"; fi
done
chmod -R a+rX "$work"
cat > "$work/nginx.conf" <<CONF
worker_processes auto;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events { worker_connections 768; }
http {
  types { text/html html; text/css css; text/javascript js; image/png png; image/svg+xml svg; image/webp webp; image/jpeg jpg; }
  sendfile on;
  tcp_nopush on;
  access_log off;
  keepalive_requests 100000000;
  server {
    listen 127.0.0.1:8182 backlog=511;
    root $work/www;
    gzip_static on;
    gzip_vary on;
    location / { try_files \$uri \$uri.html =404; }
  }
}
CONF
nginx -c "$work/nginx.conf" -g 'daemon off;' &
servers+=($!)

measure() { # name, port, address, connections
  local url="http://127.0.0.1:$2$3" threads=1
  if [ "$4" -gt 1 ]; then threads=2; fi
  local headers=(-H "Host: $host" -H 'Accept-Encoding: gzip')
  local bytes
  bytes=$(curl --silent --retry 20 --retry-connrefused "${headers[@]}" -o /dev/null -w '%{http_code} %{size_download}' "$url")
  wrk --latency -t "$threads" -c "$4" -d 1s "${headers[@]}" "$url" > /dev/null
  wrk --latency -t "$threads" -c "$4" -d "${seconds}s" "${headers[@]}" "$url" > "$work/wrk"
  printf '%-10s %-34s %3d connections  %8.0f requests/s  99%% in %8s  (%s bytes)\n' "$1" "$3" "$4" \
    "$(awk '/Requests\/sec/ {print $2}' "$work/wrk")" "$(awk '$1 == "99%" {print $2}' "$work/wrk")" "$bytes"
  grep -E 'Non-2xx|Socket errors' "$work/wrk" || true
}

for address in "$page" "$image"; do
  for connections in 1 32; do
    measure nginx 8182 "$address" "$connections"
    measure docwright 8181 "$address" "$connections"
  done
done
