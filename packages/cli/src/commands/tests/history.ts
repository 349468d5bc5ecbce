import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { passRatesText } from "../../runs/pass-rate-text.ts";

export default command({
  summary: "Show a test's pass rate in each of its runs",
  description: "Undecided simulations count as not passed. Errors of the service and the network do not count.",
  examples: [
    '<%= config.bin %> tests history "Books a slot"',
    '<%= config.bin %> tests history "Books a slot" --agent "Front desk"',
  ],
  args: { test: argument("Id or exact name of the test.") },
  flags: {
    agent: Flags.string({ description: "Only runs of this agent, by its id or exact name." }),
    limit: limitFlag(),
  },
  async run({ args, startSession, flags: { agent, limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const testId = await idOf(session, "test", args.test);
    const agentId = agent === undefined ? undefined : await idOf(session, "agent", agent);
    return take(
      pages(client.runs.passRatesOfTest, { testId, projectId, agentId, pageSize: pageSizeFor(limit) }),
      limit,
    );
  },
  show: passRatesText,
});
