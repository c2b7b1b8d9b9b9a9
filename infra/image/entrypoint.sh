#!/bin/sh
# Entry point of the image: runs one service, or a command of the operator.
set -eu

usage() {
  cat <<'TEXT'
Usage: status-page <service or command>

Services: gateway, core, monitor, notifier, integrations, config-sync
  <service> requeue [consumer] [event id]   lists the quarantined events, or handles one again

Commands:
  migrate                       creates or updates the database, once per release
  doctor [--json]               checks what the installation depends on, and prints remedies
  secrets                       prints new secrets as the lines of an environment file
  nats-permissions [prefix …]   prints the users and permissions of the NATS server
  sbom                          prints the software bill of materials (CycloneDX)
TEXT
}

bundles=/app/bundles
# exec: Node becomes process 1 and receives SIGTERM directly.
run() { exec node --no-warnings "$@"; }

name=${1:-help}
[ $# -eq 0 ] || shift
case $name in
  gateway | core | monitor | notifier | integrations | config-sync)
    # Node has the collection of garbage at the start of a service only with --expose-gc.
    run --max-semi-space-size=16 --expose-gc \
      --import "$bundles/local/source-positions.mjs" "$bundles/$name/main.mjs" "$@"
    ;;
  migrate | doctor | secrets | nats-permissions) run "$bundles/commands/$name.mjs" "$@" ;;
  sbom) exec cat /sbom.cdx.json ;;
  help | --help | -h) usage ;;
  *)
    echo "status-page: '$name' is neither a service nor a command." >&2
    usage >&2
    exit 64
    ;;
esac
