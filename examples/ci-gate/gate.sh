#!/usr/bin/env bash
# Starts the service on an empty folder, pushes the tests, plays them against the agent and writes a JUnit report. The exit code
# is that of the run: 0 all passed, 1 a failure, 2 no verdict, 3 a refusal. AGENT_URL is the agent's chat endpoint. For an agent
# on LiveKit Agents, set AGENT_COMMAND instead (see the README).
set -euo pipefail
# Whatever ends before the run is a refusal: the codes 1 and 2 are verdicts.
trap 'exit 3' ERR

refuse() {
  echo "$1" >&2
  exit 3
}

SVC=${SVC:-npx --no -- svc}
TESTS=${TESTS:-tests}
JUNIT=${JUNIT:-voice-agent.xml}
if [ -z "${AGENT_URL:-}" ] && [ -z "${AGENT_COMMAND:-}" ]; then
  refuse 'Set AGENT_URL to the chat endpoint of the agent, or AGENT_COMMAND to the command of an agent on LiveKit Agents.'
fi
if [ ! -e "$TESTS" ]; then refuse "There is no $TESTS. Set TESTS to the folder with the tests, or to one file."; fi
data=$(mktemp -d)

# A key for this job only: the service registers it at its first start. The script deletes the service's folder at the end.
SVC_API_KEY="svc_sk_$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')"
export SVC_API_KEY SVC_URL="http://127.0.0.1:${PORT:-3100}"
SVC_INIT_API_KEYS=project:$SVC_API_KEY LOG_LEVEL=warn $SVC serve --data-dir "$data" >&2 &
service=$!
# A failed command in the trap would replace the exit code.
trap '{ kill "$service"; wait "$service"; } 2>/dev/null || true; rm -rf "$data"' EXIT

answers=
for _ in $(seq 60); do
  if $SVC health >/dev/null 2>&1; then answers=yes && break; fi
  kill -0 "$service" 2>/dev/null || refuse 'The service did not start. Its message is above.'
  sleep 1
done
if [ -z "$answers" ]; then refuse 'The service did not answer within a minute.'; fi

# Suites that the files name are created; the other tests are in the suite "gate". The checkout stays as it is.
$SVC tests push "$TESTS" --suite gate --no-record >&2

# Tests whose file names no agent play against "agent". Each agent is the one of this job.
named=$($SVC tests validate "$TESTS" --offline --json | sed -n '/^  "agents": \[$/,/^  \]/s/^    "\(.*\)",\{0,1\}$/\1/p')
printf 'agent\n%s\n' "$named" | sort -u | while IFS= read -r agent; do
  if [ -z "$agent" ]; then continue; fi
  $SVC agents register --name "$agent" >&2 </dev/null
  if [ -n "${AGENT_COMMAND:-}" ]; then continue; fi
  $SVC connections add "$agent" --type http_chat --config "url=$AGENT_URL" --config "format=${AGENT_FORMAT:-openai}" --no-try >&2 </dev/null
done

options=(--iterations "${ITERATIONS:-1}" --junit "$JUNIT")
if [ -n "${AGENT_COMMAND:-}" ]; then options+=(--agent-command "$AGENT_COMMAND"); fi
if [ -n "${REQUIRE:-}" ]; then options+=(--require "$REQUIRE"); fi
if [ -n "${TAG:-}" ]; then options+=(--tag "$TAG"); fi

trap - ERR
code=0
$SVC runs start --files "$TESTS" --agent agent "${options[@]}" || code=$?
# A fault of the program is no verdict either. An interrupt stays one.
if [ "$code" -gt 3 ] && [ "$code" -ne 130 ]; then code=3; fi
exit "$code"
