import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { agentVersionFlag, channelFlag, limitFlag, sourceFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { outcomeOf, verdictsOf, withBoldMatches, wordsOf } from "../../traces/row-texts.ts";
import { ago, duration, instant } from "../../terminal/times.ts";
import { filtersOfView, given, viewFlag } from "../../views/view-filters.ts";

const unknownOr = (count: number | null): string => (count === null ? "?" : String(count));

export default command({
  summary: "List conversations, newest first",
  description:
    "A ? marks an unknown value. SLOWEST is the time of the agent's slowest answer, and ANSWERS IN is the mean time. In typed conversations, these times are text response times, marked (text). OUTCOME is the outcome that the platform reports. VERDICTS shows how many grades passed (+), failed (-) or are undecided (?); a single - means that there is no grade. WORDS shows the platform's summary, or the first words of the caller. With --search, it shows the words around the first match, which is bold on a terminal. A conversation is provisional while more spans may arrive. A narrow terminal shows fewer columns, and --json has all.",
  examples: [
    "<%= config.bin %> traces list",
    "<%= config.bin %> traces list --from 24h --status error --sort=-duration",
    '<%= config.bin %> traces list --view "Errors today"',
  ],
  flags: {
    from: Flags.string({
      description:
        "Only conversations that started at this time or later: 30m, 24h or 7d ago, or a time such as 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
    }),
    to: Flags.string({ description: "Only conversations that started before this time.", helpValue: "<time>" }),
    source: sourceFlag(),
    agent: Flags.string({ description: "Only conversations of this agent, by its exact name." }),
    "agent-version": agentVersionFlag(),
    channel: channelFlag(),
    run: Flags.string({ description: "Only simulations of this run, by its id." }),
    alert: Flags.string({ description: "Only conversations that raised this alert, by its id." }),
    status: Flags.option({ options: ["ok", "error"] as const, description: "Only conversations with this status." })(),
    ending: Flags.string({
      description: "Only conversations with this ending, in the platform's words, such as voicemail_reached.",
    }),
    search: Flags.string({ description: "Only conversations with this text in their transcript, agent name or id." }),
    sort: Flags.option({
      options: [
        "-startedAt",
        "startedAt",
        "-duration",
        "duration",
        "-latency",
        "latency",
        "-slowest",
        "slowest",
      ] as const,
      description:
        "Order of the list. Default: newest first. Write --sort=-duration for longest first, --sort=-slowest for the slowest answer first, or --sort=-latency for the slowest mean.",
    })(),
    view: viewFlag(),
    limit: limitFlag(),
  },
  async run({ startSession, flags, note }) {
    const { limit, source, agent, channel, run: runId, alert: alertId, status, ending, search, sort } = flags;
    const from = flags.from === undefined ? undefined : instant(flags.from);
    const to = flags.to === undefined ? undefined : instant(flags.to);
    const session = await startSession();
    const { client, projectId, pages } = session;
    const ofView = flags.view === undefined ? {} : await filtersOfView(session, "conversations", flags.view, note);
    const asked = { from, to, source, agent, agentVersion: flags["agent-version"], channel, runId, alertId, status };
    const filter = { projectId, ...ofView, ...given({ ...asked, ending, search, sort }), pageSize: pageSizeFor(limit) };
    return take(pages(client.traces.list, filter), limit);
  },
  show: (list) =>
    withBoldMatches(
      table(
        list.items,
        [
          { title: "started", cell: ({ startedAt }) => ago(startedAt) },
          { title: "duration", cell: ({ durationMs }) => duration(durationMs), right: true, spare: 2 },
          {
            title: "answers in",
            cell: ({ responseLatency, textResponseTime }) =>
              duration((responseLatency ?? textResponseTime)?.mean ?? null) +
              (textResponseTime === null ? "" : " (text)"),
            right: true,
            spare: 7,
          },
          {
            title: "slowest",
            cell: ({ responseLatency, textResponseTime }) =>
              duration((responseLatency ?? textResponseTime)?.max ?? null),
            right: true,
          },
          { title: "source", cell: ({ source }) => source, spare: 8 },
          { title: "state", cell: ({ state }) => state, spare: 3 },
          {
            title: "agent",
            cell: ({ agentName, serviceName }) => agentName ?? serviceName ?? "?",
            cut: true,
            spare: 1,
          },
          { title: "version", cell: ({ agentVersion }) => agentVersion ?? "?", cut: true, spare: 6 },
          { title: "channel", cell: ({ channel }) => channel ?? "?", spare: 11 },
          { title: "turns", cell: ({ turnCount }) => unknownOr(turnCount), right: true, spare: 4 },
          { title: "tools", cell: ({ toolCallCount }) => unknownOr(toolCallCount), right: true, spare: 5 },
          {
            title: "errors",
            cell: ({ errorCount }) => String(errorCount),
            right: true,
          },
          { title: "outcome", cell: outcomeOf, cut: true, spare: 9 },
          { title: "verdicts", cell: verdictsOf, spare: 10 },
          { title: "words", cell: wordsOf, cut: true },
          { title: "trace", cell: ({ traceId }) => traceId, whole: true },
        ],
        "No conversations match. Send recorded spans with `svc traces send FILE`, or set this service as the endpoint of a worker's OTLP exporter.",
      ),
      list.items,
    ) + moreLine(list),
});
