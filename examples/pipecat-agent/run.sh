#!/usr/bin/env bash
# Starts the agent and the service on an empty folder, calls the agent, and exits with the run's code: 0 all passed, 1 a failure,
# 2 no verdict, 3 a refusal. Needs Node, Python 3.10 or newer, and `pip install -r requirements.txt`. SVC is the command line.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
SVC=${SVC:-npx --no -- svc}
data=$(mktemp -d)
SVC_API_KEY="svc_sk_$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')"
export SVC_API_KEY SVC_URL="http://127.0.0.1:${SVC_PORT:-3100}"

PORT=${AGENT_PORT:-8091} "${PYTHON:-python}" "$here/agent.py" >&2 &
agent=$!
PORT=${SVC_PORT:-3100} SVC_INIT_API_KEYS=project:$SVC_API_KEY LOG_LEVEL=warn $SVC serve --data-dir "$data" >&2 &
service=$!
trap 'kill "$agent" "$service" 2>/dev/null; wait 2>/dev/null || true; rm -rf "$data"' EXIT
trap 'exit 3' ERR

curl --silent --retry 60 --retry-delay 1 --retry-all-errors --output /dev/null "$SVC_URL/health"
curl --silent --retry 60 --retry-delay 1 --retry-all-errors --output /dev/null "http://127.0.0.1:${AGENT_PORT:-8091}/"

cp -r "$here/tests" "$data/tests" # A push writes ids into the files. The copy keeps the checkout unchanged.
$SVC agents register --name Pipecat >&2
$SVC connections add Pipecat --no-try --name call --type websocket_audio --config codec=mulaw_8k \
  --config "url=ws://127.0.0.1:${AGENT_PORT:-8091}/media" >&2
$SVC connections try Pipecat call >&2
$SVC tests push "$data/tests" --suite Default >&2
trap - ERR

$SVC runs start --suite Default --agent Pipecat --caller scripted --junit "${JUNIT:-pipecat-agent.xml}"
