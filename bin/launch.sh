# Starts a built command: `launch NAME ROOT ARGUMENTS`. Sourced by those in this folder that take the same way.

new_enough() {
  case $("$1" --version 2>/dev/null) in
    v22.19.* | v22.[2-9][0-9].* | v2[3-9].* | v[3-9][0-9].*) return 0 ;;
    *) return 1 ;;
  esac
}

launch() {
  name=$1 root=$2
  shift 2
  cli=$root/dist/${name#docsign-}/cli.cjs
  if [ ! -f "$cli" ]; then
    echo "$name: it is not built yet; run 'npm run build' in $root" >&2
    exit 1
  fi
  # The Node of the last build: no need to ask for its version again.
  if [ -f "$root/dist/.node-path" ]; then
    IFS= read -r node <"$root/dist/.node-path" || :
    [ -x "$node" ] && [ ! -d "$node" ] && exec "$node" "$cli" "$@"
  fi
  # One on PATH, or one that set-up brought. On macOS the cache is elsewhere.
  for node in node "${XDG_CACHE_HOME:-${HOME:-}/.cache}"/pulumi-docsign/node/*/bin/node \
    "${HOME:-}/Library/Caches"/pulumi-docsign/node/*/bin/node; do
    new_enough "$node" && exec "$node" "$cli" "$@"
  done
  echo "$name: it needs Node 22.19 or newer (on PATH: $(node --version 2>/dev/null || echo none)); install one, or run 'npm run build' in $root" >&2
  exit 1
}
