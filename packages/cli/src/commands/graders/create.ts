import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import {
  DEFINING,
  definitionFlags,
  definitionOf,
  graderText,
  settingsFlags,
  settingsOf,
} from "../../grader-content.ts";
import { usage } from "../../refusal.ts";

export default command({
  description:
    "By default it counts and grades simulations. With --scope production or both, it grades production conversations once they are over: all, or the share of --sample-rate. A --criterion needs a language model.",
  examples: [
    `<%= config.bin %> graders create --name "No promises" --check 'never says "guarantee"' --scope both`,
    '<%= config.bin %> graders create --name "Answers fast" --latency-ms 1500 --percentile 95',
    '<%= config.bin %> graders create --name Calm --criterion "Stays calm when the caller is angry." --fails-when "It argues." --scope production --sample-rate 0.1',
  ],
  flags: {
    name: Flags.string({ description: "Unique among the project's graders.", required: true }),
    ...definitionFlags,
    ...settingsFlags,
  },
  async run({ connect, flags }) {
    const definition = definitionOf(flags);
    if (definition === undefined) throw usage(`Say what it looks at: ${DEFINING}.`);
    const settings = settingsOf(flags);
    const { client, project: projectId } = await connect();
    return (await client.graders.create({ name: flags.name, definition, projectId, ...settings })).grader;
  },
  show: (grader) => `Created "${grader.name}".\n${graderText(grader)}`,
});
