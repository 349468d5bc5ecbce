#!/usr/bin/env bash
# Starts the service on an empty folder, pushes the tests, plays them against the agent and writes a JUnit report. Ends as the
# run does: 0 all passed, 1 a failure, 2 no verdict, 3 a refusal. AGENT_URL is the agent's chat endpoint; see the README for
# an agent on LiveKit Agents, which needs none.
set -euo pipefail

SVC=${SVC:-npx svc}
TESTS=${TESTS:-tests}
JUNIT=${JUNIT:-voice-agent.xml}
data=$(mktemp -d)

# A key for this job alone: the service takes it over at its first start, and nothing of both is left afterwards.
SVC_API_KEY="svc_sk_$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')"
export SVC_API_KEY SVC_URL="http://127.0.0.1:${PORT:-3100}"
SVC_INIT_PROJECT=ci SVC_INIT_PROJECT_API_KEY=$SVC_API_KEY LOG_LEVEL=warn $SVC serve --data-dir "$data" >&2 &
service=$!
trap 'kill "$service" 2>/dev/null; wait "$service" 2>/dev/null || true; rm -rf "$data"' EXIT

for _ in $(seq 60); do
  if $SVC health >/dev/null 2>&1; then break; fi
  kill -0 "$service" 2>/dev/null || exit 3
  sleep 1
done

trap 'exit 3' ERR
$SVC suites create --name gate >&2
copy=$(mktemp -d "$data/tests.XXXX") # A push writes ids into the files; the checkout stays as it is.
cp "$TESTS"/*.md "$copy"
$SVC tests push "$copy" --suite gate >&2
$SVC agents register --name agent >&2
how=()
if [ -n "${AGENT_COMMAND:-}" ]; then
  how=(--agent-command "$AGENT_COMMAND")
else
  $SVC connections add agent --type http_chat --config "url=$AGENT_URL" --config "format=${AGENT_FORMAT:-openai}" >&2
fi
trap - ERR

$SVC runs start --suite gate --iterations "${ITERATIONS:-1}" --junit "$JUNIT" ${how[@]+"${how[@]}"}
