# Source this in the repository's root (`. examples/offline.sh`) before you run an example: everything then happens on this
# machine. What the stacks and the provider remember lies in .offline in that folder, so nothing of yours is touched and another
# shell finds it again.
# For a sandbox at another port than 4010: DOCSIGN_SANDBOX_PORT=4011 . examples/offline.sh
export DOCSIGN_SCRATCH="${DOCSIGN_SCRATCH:-$PWD/.offline}"
(umask 077 && mkdir -p "$DOCSIGN_SCRATCH")
export DOCSIGN_BASE_URL="${DOCSIGN_BASE_URL:-http://127.0.0.1:${DOCSIGN_SANDBOX_PORT:-4010}}" DOCSIGN_API_KEY="${DOCSIGN_API_KEY:-my-key}"
export PULUMI_BACKEND_URL="file://$DOCSIGN_SCRATCH" PULUMI_CONFIG_PASSPHRASE="" DOCSIGN_STATE_DIR="$DOCSIGN_SCRATCH/journal"

# The Node of the build: the one that was brought, where your own is too old.
if [ -r dist/.node-path ]; then PATH="$(dirname "$(cat dist/.node-path)"):$PATH"; fi

# Without a Pulumi of your own, the one that `npm run demo` or `npm test` brought.
if ! command -v pulumi >/dev/null; then
  for brought in "${XDG_CACHE_HOME:-$HOME/.cache}"/pulumi-docsign/engine/*/bin; do
    if [ -x "$brought/pulumi" ]; then PATH="$brought:$PWD/node_modules/@pulumi/pulumi:$PATH"; fi
  done
fi
command -v pulumi >/dev/null || echo "There is no pulumi on PATH: install it, or run 'npm run demo' once, which brings one." >&2
echo "The stacks of every shell that sources this file here are in $DOCSIGN_SCRATCH. The sandbox forgets when it stops: start anew then, with rm -r '$DOCSIGN_SCRATCH'"
