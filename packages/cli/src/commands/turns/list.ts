import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { agentVersionFlag, channelFlag, decimalFlag, limitFlag, sourceFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago, duration, instant } from "../../terminal/times.ts";
import { filtersOfView, given, viewFlag } from "../../views/view-filters.ts";

const PROVENANCES = { heard: "heard", measured: "measured", provider_reported: "reported", approximate: "approximate" };

export default command({
  summary: "List turns of agents, newest first",
  description:
    "A turn is what an agent says before the caller speaks again. A ? marks an unknown value. ANSWERED IN is the time to answer, and FROM says where it comes from: reported by the platform, measured from the times of spans, approximate, or heard in the recording of the call. TOOLS has the names of the tools that the agent called in the turn, with (failed) after them when a call failed. CALLER has what the caller said before the turn, and AGENT SAYS what the agent said. TURN is the number of the turn in its conversation, from 0, and TRACE shows the conversation with `svc traces show`. A narrow terminal shows fewer columns, and --json has all.",
  examples: [
    "<%= config.bin %> turns list --from 7d --sort=-answerMs",
    "<%= config.bin %> turns list --interrupted --agent Hotel",
    "<%= config.bin %> turns list --tool book_table --slower-than 2000",
  ],
  flags: {
    from: Flags.string({
      description:
        "Only turns that started at this time or later: 30m, 24h or 7d ago, or a time such as 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
    }),
    to: Flags.string({ description: "Only turns that started before this time.", helpValue: "<time>" }),
    source: sourceFlag(),
    agent: Flags.string({ description: "Only conversations of this agent, by its exact name." }),
    "agent-version": agentVersionFlag(),
    channel: channelFlag(),
    run: Flags.string({ description: "Only simulations of this run, by its id." }),
    alert: Flags.string({ description: "Only conversations that raised this alert, by its id." }),
    ending: Flags.string({
      description: "Only conversations with this ending, in the platform's words, such as voicemail_reached.",
    }),
    interrupted: Flags.boolean({
      description: "Only turns that the caller cut short; with --no-interrupted, only those that the caller did not.",
      allowNo: true,
    }),
    tool: Flags.string({ description: "Only turns in which the agent called this tool, by its exact name." }),
    "slower-than": decimalFlag({
      description: "Only turns in which the agent took longer to answer.",
      helpValue: "<milliseconds>",
    }),
    sort: Flags.option({
      options: ["-startedAt", "startedAt", "-answerMs"] as const,
      description: "Order of the list. Default: newest first. Write --sort=-answerMs for the slowest answer first.",
    })(),
    view: viewFlag(),
    limit: limitFlag(),
  },
  async run({ startSession, flags, note }) {
    const { limit, source, agent, channel, run: runId, alert: alertId, ending, interrupted, tool, sort } = flags;
    const from = flags.from === undefined ? undefined : instant(flags.from);
    const to = flags.to === undefined ? undefined : instant(flags.to);
    const session = await startSession();
    const { client, projectId, pages } = session;
    const ofView = flags.view === undefined ? {} : await filtersOfView(session, "turns", flags.view, note);
    const asked = { from, to, source, agent, agentVersion: flags["agent-version"], channel, runId, alertId, ending };
    const own = { interrupted, tool, slowerThanMs: flags["slower-than"], sort };
    return take(
      pages(client.turns.list, { projectId, ...ofView, ...given({ ...asked, ...own }), pageSize: pageSizeFor(limit) }),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "started", cell: ({ startedAt }) => ago(startedAt) },
        { title: "answered in", cell: ({ answerMs }) => duration(answerMs), right: true },
        { title: "from", cell: ({ provenance }) => (provenance === null ? "-" : PROVENANCES[provenance]), spare: 4 },
        {
          title: "cut short",
          cell: ({ interrupted }) => (interrupted === null ? "?" : interrupted ? "yes" : "no"),
          spare: 3,
        },
        {
          title: "tools",
          cell: ({ tools, toolFailed }) =>
            tools.length === 0 ? "-" : `${tools.join(", ")}${toolFailed === true ? " (failed)" : ""}`,
          cut: true,
          spare: 5,
        },
        { title: "agent", cell: ({ agentName }) => agentName ?? "?", cut: true, spare: 2 },
        { title: "caller", cell: ({ userText }) => userText ?? "-", cut: true, spare: 1 },
        { title: "agent says", cell: ({ agentText }) => agentText ?? "?", cut: true },
        { title: "turn", cell: ({ index }) => String(index), right: true },
        { title: "trace", cell: ({ traceId }) => traceId, whole: true },
      ],
      "No turns match. A conversation's turns appear here a few seconds after its spans have arrived.",
    ) + moreLine(list),
});
