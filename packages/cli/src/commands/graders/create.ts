import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import {
  DEFINITION_FLAGS,
  definitionFlags,
  definitionOf,
  graderText,
  settingsFlags,
  settingsOf,
} from "../../graders/grader-content.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Create a grader",
  description:
    "By default the grader grades simulations, and a simulation fails when this grader fails it. With --scope production or both, it grades production conversations after they end: all of them, or the share of --sample-rate. A grader with --criterion needs a language model in the service.",
  examples: [
    `<%= config.bin %> graders create --name "No promises" --check 'never says "guarantee"' --scope both`,
    '<%= config.bin %> graders create --name "Answers fast" --latency-ms 1500 --percentile 95',
    '<%= config.bin %> graders create --name Calm --criterion "Stays calm when the caller is angry." --fails-when "It argues." --scope production --sample-rate 0.1',
  ],
  flags: {
    name: Flags.string({ description: "Name of the grader, unique among the graders of the project.", required: true }),
    ...definitionFlags,
    ...settingsFlags,
  },
  async run({ startSession, flags }) {
    const definition = definitionOf(flags);
    if (definition === undefined) throw usage(`The grader needs a definition. Set one of ${DEFINITION_FLAGS}.`);
    const settings = settingsOf(flags);
    const { client, projectId } = await startSession();
    return (await client.graders.create({ name: flags.name, definition, projectId, ...settings })).grader;
  },
  show: (grader) => `Created "${grader.name}".\n${graderText(grader)}`,
});
