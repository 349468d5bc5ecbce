#!/usr/bin/env bash
# Starts the service on an empty folder, pushes the tests, plays them against the agent and writes a JUnit report. The exit code
# is that of the run: 0 all passed, 1 a failure, 2 no verdict, 3 a refusal. AGENT_URL is the agent's chat endpoint. For an agent
# on LiveKit Agents, set AGENT_COMMAND instead (see the README).
set -euo pipefail

SVC=${SVC:-npx --no -- svc}
TESTS=${TESTS:-tests}
JUNIT=${JUNIT:-voice-agent.xml}
data=$(mktemp -d)

# A key for this job only: the service registers it at its first start. The script deletes the service's folder at the end.
SVC_API_KEY="svc_sk_$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')"
export SVC_API_KEY SVC_URL="http://127.0.0.1:${PORT:-3100}"
SVC_INIT_API_KEYS=project:$SVC_API_KEY LOG_LEVEL=warn $SVC serve --data-dir "$data" >&2 &
service=$!
trap 'kill "$service" 2>/dev/null; wait "$service" 2>/dev/null || true; rm -rf "$data"' EXIT

for _ in $(seq 60); do
  if $SVC health >/dev/null 2>&1; then break; fi
  kill -0 "$service" 2>/dev/null || exit 3
  sleep 1
done

trap 'exit 3' ERR
$SVC suites create --name gate >&2
copy=$(mktemp -d "$data/tests.XXXX") # A push writes ids into the files. The copy keeps the checkout unchanged.
cp "$TESTS"/*.md "$copy"
$SVC tests push "$copy" --suite gate >&2
$SVC agents register --name agent >&2
connection=()
if [ -n "${AGENT_COMMAND:-}" ]; then
  connection=(--agent-command "$AGENT_COMMAND")
else
  $SVC connections add agent --type http_chat --config "url=$AGENT_URL" --config "format=${AGENT_FORMAT:-openai}" >&2
fi
trap - ERR
required=()
if [ -n "${REQUIRE:-}" ]; then required=(--require "$REQUIRE"); fi

$SVC runs start --suite gate --iterations "${ITERATIONS:-1}" --junit "$JUNIT" ${required[@]+"${required[@]}"} ${connection[@]+"${connection[@]}"}
