import { Flags } from "@oclif/core";
import { command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";
import { ago, duration, instant } from "../../times.ts";

const unknownOr = (count: number | null): string => (count === null ? "?" : String(count));

export default command({
  description:
    "A ? stands for what is not known yet. Latency is the mean time to the agent's answers; a conversation is provisional while spans may still come. A narrow terminal shows fewer columns; --json has all.",
  examples: [
    "<%= config.bin %> traces list",
    "<%= config.bin %> traces list --from 24h --status error --sort=-duration",
  ],
  flags: {
    from: Flags.string({
      description: "Started at or after: 30m, 24h, 7d, or 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
    }),
    to: Flags.string({ description: "Started before.", helpValue: "<time>" }),
    source: Flags.option({ options: ["production", "simulation"] as const, description: "Only these." })(),
    agent: Flags.string({ description: "Exact name of the agent." }),
    run: Flags.string({ description: "Only the simulated conversations of this run, by its id." }),
    status: Flags.option({ options: ["ok", "error"] as const, description: "Only these." })(),
    search: Flags.string({ description: "Text in what was said, the agent or the conversation's id." }),
    sort: Flags.option({
      options: ["-startedAt", "startedAt", "-duration", "duration", "-latency", "latency"] as const,
      description:
        "Default: newest first. Write --sort=-duration for longest first, --sort=-latency for slowest answers first.",
    })(),
    limit: limitFlag(),
  },
  async run({ connect, flags }) {
    const { limit, source, agent, run: runId, status, search, sort } = flags;
    const from = flags.from === undefined ? undefined : instant(flags.from);
    const to = flags.to === undefined ? undefined : instant(flags.to);
    const { client, project: projectId, tokenPages } = await connect();
    const filter = { projectId, from, to, source, agent, runId, status, search, sort, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("traces", (pageToken) => client.traces.list({ ...filter, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "trace", cell: ({ traceId }) => traceId },
        { title: "started", cell: ({ startedAt }) => ago(startedAt) },
        { title: "duration", cell: ({ durationMs }) => duration(durationMs), right: true, spare: 2 },
        { title: "latency", cell: ({ responseLatency }) => duration(responseLatency?.mean ?? null), right: true },
        { title: "state", cell: ({ state }) => state, spare: 3 },
        {
          title: "agent",
          cell: ({ agentName, serviceName }) => agentName ?? serviceName ?? "?",
          cut: true,
          spare: 1,
        },
        { title: "turns", cell: ({ turnCount }) => unknownOr(turnCount), right: true, spare: 4 },
        { title: "tools", cell: ({ toolCallCount }) => unknownOr(toolCallCount), right: true, spare: 5 },
        { title: "status", cell: ({ status }) => status },
        { title: "preview", cell: ({ preview }) => preview ?? "?" },
      ],
      "No conversations match. Send recorded spans with `svc traces send FILE`, or point a worker's OTLP exporter here.",
    ) + moreBelow(list),
});
