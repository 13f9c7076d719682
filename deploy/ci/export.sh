#!/bin/sh
# Exports a site and rolls it out: starts an export, waits for it, downloads and verifies the bundle, writes its
# link and pins into a values file, and runs the command of its arguments. Needs curl, jq, and sha256sum.
#
#   export DOCWRIGHT_SERVER=https://docwright.example.com   # the service
#   export DOCWRIGHT_KEY=dw_…                               # an API key with the scope `write`
#   export DOCWRIGHT_DOMAIN=docs.example.com                # the domain of the site
#   export DOCWRIGHT_BASE_PATH=/docs                        # optional: the base path of the domain
#   export DOCWRIGHT_DEPLOYMENT=plant                       # optional: the deployment that the export is for
#   export DOCWRIGHT_VERSION=2026-11-01                     # optional: a label for the export
#   export DOCWRIGHT_OUT=export                             # optional: the folder of both files
#   deploy/ci/export.sh helm upgrade --install docs deploy/chart --values export/values.yaml --wait
#
# The link is in values.yaml and gives access to the bundle, so treat the file as a secret.
set -eu
umask 077

# Seconds between two polls, and until an export must be complete.
interval=2
deadline=3600

fail() {
  printf 'export.sh: %s\n' "$*" >&2
  exit 1
}

# Sends a request with the key, and prints the body of the response. The key isn't an argument, because other
# users of the machine can see arguments.
request() {
  method=$1 path=$2
  shift 2
  status=$(printf 'header = "Authorization: Bearer %s"\n' "$DOCWRIGHT_KEY" |
    curl --config - --silent --show-error --retry 5 --retry-connrefused --max-time 60 \
      --request "$method" --output "$out/response.json" --write-out '%{http_code}' \
      "$@" "$server$path") || fail "$method $path: the service can't be reached"
  case $status in
    2??) cat "$out/response.json" ;;
    *) fail "$method $path: status $status: $(jq --raw-output '.error // "no reason"' "$out/response.json" 2>/dev/null)" ;;
  esac
}

# Starts an export and prints its ID. A retried request with the same Idempotency-Key starts no second one.
start() {
  body=$(jq --null-input --compact-output \
    --arg domain "$DOCWRIGHT_DOMAIN" --arg base "${DOCWRIGHT_BASE_PATH:-}" --arg version "${DOCWRIGHT_VERSION:-}" \
    --arg deployment "${DOCWRIGHT_DEPLOYMENT:-}" \
    '{domain: $domain, basePath: $base, version: $version, deployment: $deployment} | with_entries(select(.value != ""))')
  once=$(od -A n -N 16 -t x1 /dev/urandom | tr -d ' \n')
  started=$(request POST /v1/static-export/jobs \
    --header 'Content-Type: application/json' --header "Idempotency-Key: $once" --data "$body") || exit
  printf '%s' "$started" | jq --raw-output .jobId
}

# Waits until the export is complete.
wait_for() {
  waited=0 shown=
  while :; do
    state=$(request GET "/v1/static-export/jobs/$1") || exit
    line=$(printf '%s' "$state" | jq --raw-output '"\(.status) \(.progress)% \(.pageCount) pages"')
    [ "$line" = "$shown" ] || printf '%s\n' "$line"
    shown=$line
    case $line in
      completed\ *) return ;;
      failed\ *) fail "the export failed: $(printf '%s' "$state" | jq --raw-output .error)" ;;
    esac
    [ "$waited" -lt "$deadline" ] || fail "the export $1 isn't complete after $deadline seconds"
    sleep "$interval"
    waited=$((waited + interval))
  done
}

# Downloads the bundle and verifies it. An interrupted download resumes.
download() {
  printf 'url = "%s"\n' "$(printf '%s' "$1" | jq --raw-output .bundleUrl)" |
    curl --config - --silent --show-error --fail --location --retry 5 --retry-connrefused \
      --continue-at - --output "$out/bundle.partial" || fail "the bundle can't be downloaded"
  printf '%s  %s\n' "$(printf '%s' "$1" | jq --raw-output .sha256)" "$out/bundle.partial" |
    sha256sum --check --status || fail "the bundle is damaged: its SHA-256 isn't that of the service"
  mv "$out/bundle.partial" "$out/bundle.tar.gz"
}

# Prints the values file. Quoted JSON texts are YAML.
values() {
  printf '%s' "$1" | jq --raw-output --arg version "${DOCWRIGHT_VERSION:-}" \
    '"staticExport:\n  enabled: true\n  bundleUrl: \(.bundleUrl | tojson)\n  version: \($version | tojson)\n  sha256: \(.sha256 | tojson)"'
}

: "${DOCWRIGHT_SERVER:?Set it to the URL of the service}"
: "${DOCWRIGHT_KEY:?Set it to an API key with the scope write}"
: "${DOCWRIGHT_DOMAIN:?Set it to the domain of the site}"
server=${DOCWRIGHT_SERVER%/}
out=${DOCWRIGHT_OUT:-export}
mkdir -p "$out"
rm -f "$out/bundle.partial" "$out/values.yaml"
trap 'rm -f "$out/response.json" "$out/bundle.partial" "$out/values.partial"' EXIT

job=$(start) || exit
printf 'export %s\n' "$job"
wait_for "$job"
bundle=$(request POST "/v1/static-export/jobs/$job/bundle") || exit
download "$bundle"
values "$bundle" >"$out/values.partial"
mv "$out/values.partial" "$out/values.yaml"
printf 'verified %s\nwrote %s\n' "$out/bundle.tar.gz" "$out/values.yaml"
[ $# -eq 0 ] || "$@"
