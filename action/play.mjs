// Plays the tests against the agent of the pull request, and against that of the base branch when there is one. Writes the
// report and the outputs of the step, and exits as `svc runs start` does: 0 all passed, 1 a failure, 2 no verdict, 3 a refusal.
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportOf } from "./report.mjs";
import { startService, svc } from "./service.mjs";

// The exit code 1 is a verdict. A fault of this program is a refusal.
process.on("uncaughtException", (error) => refuse(error.stack));

const { env } = process;
/** Names of the connections to the agent of the pull request and to that of the base branch. */
const [CONNECTION, BASE_CONNECTION] = ["GitHub Action", "GitHub Action, base"];
const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), "svc-report-"));
const keeps = Boolean(env.SVC_URL);
const suite = env.SUITE || "pull request";
/** Runs of a service that keeps them are found by this name. */
const runNameOf = (branch) => `${suite} · ${branch}`;
const branch = env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || "local";

if (!keeps && !env.TESTS) refuse("Set the input `tests`, or `url` and `api-key` of a service that has the suite.");
if (!keeps && !env.AGENT_URL && !env.AGENT_COMMAND) refuse("Set the input `agent-url` or `agent-command`.");

const service = keeps ? undefined : await startService();
// The checkout stays as it is. At a service that keeps its tests, those of the checkout win.
if (env.TESTS) await svc(["tests", "push", env.TESTS, "--suite", suite, "--no-record", ...(keeps ? ["--force"] : [])]);
const agentsOfFiles = env.TESTS
  ? JSON.parse((await svc(["tests", "validate", env.TESTS, "--offline", "--json"])).stdout).agents
  : [];

const played = await playBase();
const head = await play({ agent: env.AGENT || "agent", url: env.AGENT_URL, command: env.AGENT_COMMAND, branch });
const bases = played?.runs ?? (await keptBases(head.runs));
const comparisons = [];
for (const [index, { run }] of head.runs.entries())
  if (bases[index])
    comparisons.push(JSON.parse((await svc(["runs", "compare", bases[index].run.id, run.id, "--json"])).stdout));

const report = join(folder, "report.md");
writeFileSync(report, reportOf({ summary: head.summary, comparisons, baseBranch: env.GITHUB_BASE_REF }));
if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${readFileSync(report, "utf8")}\n`);
const idsOf = (runs) => runs.flatMap((one) => one?.run.id ?? []).join(" ");
if (env.GITHUB_OUTPUT)
  appendFileSync(env.GITHUB_OUTPUT, `run=${idsOf(head.runs)}\nbase-run=${idsOf(bases)}\nreport=${report}\n`);
await service?.stop();
process.exit(head.exitCode);

/** Plays against the agent of the base branch; returns undefined without one. */
async function playBase() {
  const [url, command] = [env.BASE_AGENT_URL, env.BASE_AGENT_COMMAND];
  if (!url && !command) return undefined;
  return play({ agent: "base agent", url, command, branch: env.GITHUB_BASE_REF || "base", isBase: true });
}

/** Returns for each run of the pull request the newest one of the base branch that the service keeps: of the same agent and size. */
async function keptBases(runs) {
  if (!keeps || !env.GITHUB_BASE_REF) return [];
  const { stdout } = await svc(["runs", "list", "--status", "completed", "--limit", "200", "--json"]);
  const kept = JSON.parse(stdout).items.filter(({ name }) => name === runNameOf(env.GITHUB_BASE_REF));
  return runs.map(({ run }) => {
    const found = kept.find(({ agentId, iterations }) => agentId === run.agentId && iterations === run.iterations);
    return found && { run: found };
  });
}

/** Plays the tests against an agent and returns the runs, their exit code and their tables in Markdown. */
async function play({ agent, url, command, branch, isBase = false }) {
  const connection = isBase ? BASE_CONNECTION : CONNECTION;
  const agents = [...new Set([agent, ...agentsOfFiles])];
  if (!keeps || isBase) await register(agents);
  if (url) for (const one of agents) await connect(one, connection, url);
  const summary = join(folder, isBase ? "base.md" : "head.md");
  writeFileSync(summary, "");
  const what = env.TESTS ? ["--files", env.TESTS] : ["--suite", suite];
  const args = ["runs", "start", ...what, "--agent", agent, "--name", runNameOf(branch), "--json"];
  args.push("--iterations", env.ITERATIONS || "5");
  if (url) args.push("--connection", connection);
  else if (command) args.push("--agent-command", command);
  if (env.REQUIRE) args.push("--require", env.REQUIRE);
  if (env.TAG) args.push("--tag", env.TAG);
  if (env.JUNIT && !isBase) args.push("--junit", env.JUNIT);
  // The command writes annotations and the table in a job of GitHub; those of the base branch would confuse.
  const inJob = { GITHUB_ACTIONS: isBase ? "" : "true", GITHUB_STEP_SUMMARY: summary };
  const { exitCode, stdout } = await svc(args, { env: inJob, isVerdict: true });
  const answer = JSON.parse(stdout);
  return { exitCode, runs: answer.runs ?? [answer], summary: readFileSync(summary, "utf8") };
}

/** Gives the agent a connection with the address of this job. Only a service that keeps its runs may have one already. */
async function connect(agent, name, url) {
  const config = ["--config", `url=${url}`, "--config", `format=${env.AGENT_FORMAT || "openai"}`];
  const known = keeps ? await itemsOf(["connections", "list", agent]) : [];
  if (known.some((one) => one.name === name)) await svc(["connections", "edit", agent, name, ...config]);
  else await svc(["connections", "add", agent, "--type", "http_chat", "--name", name, ...config, "--no-try"]);
}

async function register(agents) {
  const known = new Set((await itemsOf(["agents", "list"])).map(({ name }) => name));
  for (const name of agents) if (!known.has(name)) await svc(["agents", "register", "--name", name]);
}

async function itemsOf(command) {
  return JSON.parse((await svc([...command, "--json"])).stdout).items;
}

function refuse(message) {
  console.error(message);
  process.exit(3);
}
