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
const CONNECTION = "GitHub Action";
const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), "svc-report-"));
const keeps = Boolean(env.SVC_URL);
const suite = env.SUITE || "pull request";
/** Runs of a service that keeps them are found by this name. */
const runNameOf = (branch) => `${suite} · ${branch}`;
const branch = env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || "local";

if (!keeps && !env.TESTS) refuse("Set the input `tests`, or `url` and `api-key` of a service that has the suite.");
if (!keeps && !env.AGENT_URL && !env.AGENT_COMMAND) refuse("Set the input `agent-url` or `agent-command`.");

const service = keeps ? undefined : await startService(env.TESTS);
const tests = keeps ? env.TESTS : service.tests;
if (!keeps) await svc(["suites", "create", "--name", suite]);
if (tests) await svc(["tests", "push", tests, "--suite", suite]);

const base = await baseRun();
const head = await play({ agent: env.AGENT || "agent", url: env.AGENT_URL, command: env.AGENT_COMMAND, branch });
const comparison =
  base === undefined ? undefined : JSON.parse((await svc(["runs", "compare", base, head.run, "--json"])).stdout);

const report = join(folder, "report.md");
writeFileSync(report, reportOf({ summary: head.summary, comparison, baseBranch: env.GITHUB_BASE_REF }));
if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${readFileSync(report, "utf8")}\n`);
if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `run=${head.run}\nbase-run=${base ?? ""}\nreport=${report}\n`);
await service?.stop();
process.exit(head.exitCode);

/** Returns the id of the run of the base branch: played now, else the newest one that the service keeps; undefined without one. */
async function baseRun() {
  const [url, command] = [env.BASE_AGENT_URL, env.BASE_AGENT_COMMAND];
  const baseBranch = env.GITHUB_BASE_REF || "base";
  if (url || command) return (await play({ agent: "base agent", url, command, branch: baseBranch, isBase: true })).run;
  if (!keeps || !env.GITHUB_BASE_REF) return undefined;
  const { stdout } = await svc(["runs", "list", "--status", "completed", "--limit", "200", "--json"]);
  return JSON.parse(stdout).items.find(({ name }) => name === runNameOf(baseBranch))?.id;
}

/** Plays the suite against an agent and returns the run, its exit code and its table in Markdown. */
async function play({ agent, url, command, branch, isBase = false }) {
  if (!keeps || isBase) await register(agent);
  if (url) await connect(agent, url);
  const summary = join(folder, isBase ? "base.md" : "head.md");
  writeFileSync(summary, "");
  const args = ["runs", "start", "--suite", suite, "--agent", agent, "--name", runNameOf(branch), "--json"];
  args.push("--iterations", env.ITERATIONS || "5");
  if (url) args.push("--connection", CONNECTION);
  else if (command) args.push("--agent-command", command);
  if (env.REQUIRE) args.push("--require", env.REQUIRE);
  if (env.JUNIT && !isBase) args.push("--junit", env.JUNIT);
  // The command writes annotations and the table in a job of GitHub; those of the base branch would confuse.
  const inJob = { GITHUB_ACTIONS: isBase ? "" : "true", GITHUB_STEP_SUMMARY: summary };
  const { exitCode, stdout } = await svc(args, { env: inJob, isVerdict: true });
  return { exitCode, run: JSON.parse(stdout).run.id, summary: readFileSync(summary, "utf8") };
}

/** Gives the agent the connection of the action, with the address of this job. */
async function connect(agent, url) {
  const config = ["--config", `url=${url}`, "--config", `format=${env.AGENT_FORMAT || "openai"}`];
  const { stdout } = await svc(["connections", "list", agent, "--json"]);
  const isThere = JSON.parse(stdout).items.some(({ name }) => name === CONNECTION);
  if (isThere) await svc(["connections", "edit", agent, CONNECTION, ...config]);
  else await svc(["connections", "add", agent, "--type", "http_chat", "--name", CONNECTION, ...config]);
}

async function register(agent) {
  const { stdout } = await svc(["agents", "list", "--json"]);
  if (!JSON.parse(stdout).items.some(({ name }) => name === agent)) await svc(["agents", "register", "--name", agent]);
}

function refuse(message) {
  console.error(message);
  process.exit(3);
}
