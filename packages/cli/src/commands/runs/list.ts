import { Flags } from "@oclif/core";
import type { Run } from "@svc/contract";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";
import { countsText, passRateText } from "../../runs/verdicts.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List runs, newest first",
  examples: ["<%= config.bin %> runs list", '<%= config.bin %> runs list --agent "Front desk" --status running'],
  flags: {
    agent: Flags.string({ description: "Only runs of this agent, by its id or exact name." }),
    suite: Flags.string({ description: "Only runs that were started from this suite, by its id or exact name." }),
    schedule: Flags.string({ description: "Only runs of this schedule, by its id or exact name." }),
    test: Flags.string({ description: "Only runs that play this test, by its id or exact name." }),
    status: Flags.option({
      options: ["pending", "running", "completed", "canceled"] as const,
      description: "Only runs with this status.",
    })(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { agent, suite, schedule, test, status, limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const agentId = agent === undefined ? undefined : await idOf(session, "agent", agent);
    const suiteId = suite === undefined ? undefined : await idOf(session, "suite", suite);
    const scheduleId = schedule === undefined ? undefined : await idOf(session, "schedule", schedule);
    const testId = test === undefined ? undefined : await idOf(session, "test", test);
    const filters = { projectId, agentId, suiteId, scheduleId, testId, status };
    return take(pages(client.runs.list, { ...filters, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "run", cell: runTitle, cut: true },
        { title: "result", cell: countsText, cut: true },
        { title: "started", cell: ({ createdAt }) => ago(createdAt), spare: 2 },
        { title: "status", cell: ({ status }) => status, spare: 1 },
        { title: "simulations", cell: ({ simulationCount }) => String(simulationCount), right: true, spare: 4 },
        { title: "pass rate", cell: (run) => passRateText(run)?.replace(/ \(.*/, "") ?? "?", right: true, spare: 3 },
        wholeIdColumn,
      ],
      "No runs match. To start one: svc runs start --suite SUITE --agent AGENT",
    ) + moreLine(list),
});

const runTitle = ({ name, suiteName, agentName }: Pick<Run, "name" | "suiteName" | "agentName">): string =>
  name ?? (suiteName === null ? agentName : `${suiteName}, ${agentName}`);
