// Errors that `npm run plant-faults` writes into a copy of the source, one at a time. Each must make a spec of its battery fail. A battery
// is a script of specs (scripts/batteries.ts).

export type Fault = {
  /** The battery that must find the fault, by its name in scripts/batteries.ts. */
  battery: string;
  /** A description of the fault. */
  breaks: string;
  file: string;
  /** A text that occurs once in the file, and the text that replaces it. */
  search: string;
  replacement: string;
  /** The shortest command that runs the spec of the battery that finds the fault. */
  command: string;
  /** A part of the title of the spec that must fail, as it appears in the line with its failure. */
  failing: string;
};

const vitest = (args: string) => `node --conditions=svc-source node_modules/vitest/vitest.mjs run ${args}`;
const vitestOf = (config: string, args: string) => vitest(`--config test/${config} ${args}`);

export const FAULTS: readonly Fault[] = [
  {
    battery: "check",
    breaks: "the base of the server imports a feature",
    file: "packages/server/src/base/net/address-guard.ts",
    search: 'import { networkInterfaces } from "node:os";',
    replacement: 'import { networkInterfaces } from "node:os";\nimport "../../runs/rules.ts";',
    command: vitest("test/architecture.spec.ts"),
    failing: "a layer of the server imports only itself and lower layers",
  },
  {
    battery: "test",
    breaks: "a key of one organization selects a project of another",
    file: "packages/server/src/access/projects.ts",
    search: '.where("organization_id", "=", caller.organizationId);',
    replacement: '.where("organization_id", "<>", "");',
    command: vitest("test/http/tenancy.spec.ts"),
    failing: "the operation answers each kind of caller as the contract declares",
  },
  {
    battery: "test",
    breaks: "a change is made before the audit has its line",
    file: "packages/server/src/http/operation.ts",
    search: "    if (isOfCaller) await audited?.begin(",
    replacement: "    if (isOfCaller) void audited?.begin(",
    command: vitest("test/http/audit-lines.spec.ts"),
    failing: "without a line nothing changes",
  },
  {
    battery: "test",
    breaks: "a later event of a subject does not wait for an earlier one",
    file: "packages/server/src/notifications/store/deliveries.ts",
    search: "earlier.state = 'waiting'",
    replacement: "earlier.state = 'failed'",
    command: vitest("test/notifications/deliveries.spec.ts"),
    failing: "in the order of each subject",
  },
  {
    battery: "test",
    breaks: "an alert about a tool holds the conversations whose calls worked",
    file: "packages/server/src/traces/store/duckdb/counted.ts",
    search: "AND is_error = ${counted.failed} ",
    replacement: "AND is_error IS NOT NULL ",
    command: vitest("test/alerts/conversations.spec.ts"),
    failing: "about a tool are those with a failed call of it",
  },
  {
    battery: "test",
    breaks: "a mute of one agent mutes nobody",
    file: "packages/server/src/alerts/rules.ts",
    search: "mutedAgentsOf(rule, nowMs).some(({ agentName }) => agentName === agent);",
    replacement: "mutedAgentsOf(rule, nowMs).some(({ agentName }) => agentName !== agent && agent === null);",
    command: vitest("test/alerts/rule-state.spec.ts"),
    failing: "a mute of one agent lets the rule tell of its other agents",
  },
  {
    battery: "test",
    breaks: "a due time that the change to winter time repeats starts two runs",
    file: "packages/server/src/runs/schedules/due-times-rules.ts",
    search: "return isEveryHour ? [early, late] : [early];",
    replacement: "return [early, late];",
    command: vitest("test/runs/schedules/due-times.spec.ts"),
    failing: "a time that the change to winter time repeats is due once, the first time",
  },
  {
    battery: "test",
    breaks: "a failure from before the resolution opens a resolved group",
    file: "packages/server/src/groups/rules.ts",
    search: "startedAt > resolved_at && (",
    replacement: "startedAt !== resolved_at && (",
    command: vitest("test/groups/groups.spec.ts"),
    failing: "a resolved group opens for a later conversation only, and says so once",
  },
  {
    battery: "torture",
    breaks: "a body is acknowledged before it is on disk",
    file: "packages/server/src/traces/intake/intake.ts",
    search: "      journal.append(record, (error, address) => {",
    replacement: `      resolve(decoded);
      const appendLater = (...put: Parameters<typeof journal.append>) => void setTimeout(journal.append, 300, ...put);
      appendLater(record, (error, address) => {`,
    command: "node --conditions=svc-source torture/main.ts --seed 20261122 --minutes 0.25 --only kills",
    failing: "kills",
  },
  {
    battery: "torture",
    breaks: "a schedule moves on to its next due time after its run is stored",
    file: "packages/server/src/runs/schedules/start-due.ts",
    search: "      const run = await runs.createAlso(newRun(frozen, ofSchedule), (tx) => store.takeUp(tx, coming));",
    replacement: `      const run = await runs.createAlso(newRun(frozen, ofSchedule), async () => true);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await store.passOver(coming, undefined as never);`,
    command: "node --conditions=svc-source torture/main.ts --seed 20261122 --minutes 1 --only kills",
    failing: "kills",
  },
  {
    battery: "torture",
    breaks: "the event of an alert is recorded after the alert",
    file: "packages/server/src/alerts/store/alerts.ts",
    search: '      await tell(tx, rule, row, "alert.raised", {});',
    replacement: '      setTimeout(() => void tell(db, rule, row, "alert.raised", {}), 1_000);',
    command: "node --conditions=svc-source torture/main.ts --seed 20261122 --minutes 1 --only kills",
    failing: "kills",
  },
  {
    battery: "test:engines",
    breaks: "transactions of several processes read and write between each other",
    file: "packages/server/src/stores/transaction.ts",
    search: "isPostgres(db) ? (tx) => lock(tx, scope).then(() => work(tx)) : work",
    replacement: "work",
    command: vitestOf("engines/vitest.config.ts", "test/engines/writers.engine.ts"),
    failing: "exactly one of twenty writers wins each of fifty rounds",
  },
  {
    battery: "test:pages",
    breaks: "a button of a page has no name",
    file: "packages/web/src/agents/agent.tsx",
    search: 'label="Actions for this agent"',
    replacement: 'label=""',
    command: `SPEC_SCOPE=gate ${vitestOf("web/battery/vitest.config.ts", 'test/web/battery/every-page.battery.ts -t "is accessible"')}`,
    failing: "is accessible in both themes",
  },
  {
    battery: "test:binary",
    breaks: "the executable does not unpack its libraries",
    file: "distribution/binary/load-library.ts",
    search: "if (file.path.startsWith(parent)) unpack(folder, file);",
    replacement: "if (file.path.startsWith(`${parent}/`)) unpack(folder, file);",
    command: `node --conditions=svc-source distribution/binary/build.ts && ${vitestOf("binary/vitest.config.ts", 'test/binary/program.binary.ts -t "the version|the service answers"')}`,
    failing: "the service answers with its pages and its data",
  },
  {
    battery: "test:packs",
    breaks: "the types of the SDK's pack lack those of its inputs",
    file: "distribution/packs/sdk.ts",
    search: "dependencies: { zod: `^${zod}` }",
    replacement: "dependencies: {}",
    command: vitestOf("packs/vitest.config.ts", 'test/packs/sdk.pack.ts -t "compile with TypeScript"'),
    failing: "the package and the snippets of the documents compile with TypeScript",
  },
  {
    battery: "test:python",
    breaks: "a run passes when one of its simulations passed",
    file: "packages/python/src/svc_voice/runs.py",
    search: 'passed = has_all and all(one["verdict"]',
    replacement: 'passed = has_all and any(one["verdict"]',
    command: vitestOf("python/vitest.config.ts", ""),
    failing: "the wheel installs into an empty virtual environment",
  },
  {
    battery: "test:hostile-rooms",
    breaks: "the relay of rooms sends to every address",
    file: "packages/server/src/voice/calls/lines/room/turn-relay.ts",
    search: "const fault = refusalOf(peer.address, privateAddresses);",
    replacement: "const fault = undefined;",
    command: `HOSTILE_ONLY="no candidate in an answer" ${vitestOf("room/vitest.config.ts", "test/room/hostile")}`,
    failing: "no candidate in an answer is reached",
  },
  {
    battery: "test:long",
    breaks: "a demo goes on when npm has ended",
    file: "scripts/run.mjs",
    search: "if (process.env.npm_lifecycle_event !== undefined) endWithNpm();",
    replacement: "",
    command: vitestOf("vitest.long.config.ts", "test/cli/start.long.ts"),
    failing: "the demo leaves no process and no file when npm ends",
  },
  {
    battery: "test:cluster",
    breaks: "a process ends when PostgreSQL restarts",
    file: "packages/server/src/stores/postgres/postgres.ts",
    search: 'pool.on("error", () => undefined);',
    replacement: "",
    command: `CLUSTER_SECONDS=40 ${vitestOf("cluster/vitest.config.ts", '-t "three processes"')}`,
    failing: "three processes on the same databases lose nothing",
  },
  {
    battery: "test:calls",
    breaks: "media processes outlive their service",
    file: "packages/server/src/voice/calls/media/process.ts",
    search: 'process.on("disconnect", () => process.exit(0));',
    replacement: 'process.on("disconnect", () => undefined);',
    command: vitestOf(
      "calls/battery/vitest.config.ts",
      'test/calls/battery/kills.battery.ts -t "the media processes end"',
    ),
    failing: "the media processes end with the service",
  },
];
