import { Flags } from "@oclif/core";
import { CHANNELS, type Input, type Operations, VERDICTS, VIEWED_LISTS } from "@svc/contract";
import { command } from "../../command.ts";
import { argument, decimalFlag, sourceFlag } from "../../flags.ts";
import { usage } from "../../refusal.ts";
import { oneLine } from "../../terminal/output.ts";
import { instant } from "../../terminal/times.ts";
import { given, hoursOf, queryText } from "../../views/view-filters.ts";

type WantedQuery = Input<Operations["views"]["create"]>["query"];

export default command({
  summary: "Save filters, order and range of a list under a name",
  description:
    "Everybody in the project sees the view above the list on the page, and opens it with --view of `svc traces list` or `svc turns list`. --last moves with the time; --from and --to stay.",
  examples: [
    "<%= config.bin %> views create Errors --status error --last 24h",
    '<%= config.bin %> views create "Slow answers" --list turns --slower-than 2000 --sort=-answerMs --last 7d',
  ],
  args: { name: argument("Name of the view, unique in the project.") },
  flags: {
    list: Flags.option({
      options: VIEWED_LISTS,
      description: "List of the view.",
      default: "conversations" as const,
    })(),
    last: Flags.string({
      description: "Only what started in this time before the view is opened, such as 24h or 7d.",
      helpValue: "<time>",
      exclusive: ["from", "to"],
    }),
    from: Flags.string({
      description: "Only what started at this time or later, such as 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
    }),
    to: Flags.string({ description: "Only what started before this time.", helpValue: "<time>" }),
    source: sourceFlag(),
    agent: Flags.string({ description: "Only conversations of this agent, by its exact name." }),
    "agent-version": Flags.string({ description: "Only conversations of this version of the agent." }),
    channel: Flags.option({ options: CHANNELS, description: "Only conversations over this channel." })(),
    run: Flags.string({ description: "Only simulations of this run, by its id." }),
    alert: Flags.string({ description: "Only conversations that raised this alert, by its id." }),
    status: Flags.option({ options: ["ok", "error"] as const, description: "Only conversations with this status." })(),
    verdict: Flags.option({ options: VERDICTS, description: "Only conversations with this verdict." })(),
    ending: Flags.string({ description: "Only conversations with this ending, in the platform's words." }),
    tool: Flags.string({ description: "Only where the agent called this tool, by its exact name." }),
    "slower-than": decimalFlag({
      description: "Only where an answer took longer than this many milliseconds.",
      helpValue: "<milliseconds>",
    }),
    interrupted: Flags.boolean({
      description: "Only where the caller cut the agent short; with --no-interrupted, only where the caller did not.",
      allowNo: true,
    }),
    search: Flags.string({ description: "Only conversations with this text." }),
    sort: Flags.string({ description: "Order of the list, as its flag --sort has it.", helpValue: "<order>" }),
  },
  async run({ args, startSession, flags }) {
    const { list, source, agent, channel, status, verdict, ending, tool, interrupted, search, sort } = flags;
    const same = { source, agent, channel, status, verdict, ending, tool, interrupted, search, sort };
    const filters = given({
      lastHours: flags.last === undefined ? undefined : hoursOf(flags.last),
      from: flags.from === undefined ? undefined : instant(flags.from),
      to: flags.to === undefined ? undefined : instant(flags.to),
      agentVersion: flags["agent-version"],
      runId: flags.run,
      alertId: flags.alert,
      slowerThanMs: flags["slower-than"],
      ...same,
    });
    if (Object.keys(filters).length === 0)
      throw usage("A view needs a filter, a range or an order, such as --status error or --last 24h.");
    const { client, projectId } = await startSession();
    // The service refuses what the list does not have.
    const query = { list, ...filters } as WantedQuery;
    return (await client.views.create({ name: args.name, query, projectId })).view;
  },
  show: ({ id, name, query }) => `Saved the view "${oneLine(name)}" of ${query.list} (${id}): ${queryText(query)}.`,
});
