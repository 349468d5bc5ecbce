import { command } from "../../command.ts";
import { yesFlag } from "../../flags.ts";

export default command({
  summary: "Remove the language model and its key",
  description:
    "Without a language model, callers are scripted, and behaviors that no code decides are not graded. Asks for confirmation.",
  examples: ["<%= config.bin %> language-model remove --yes"],
  flags: { yes: yesFlag() },
  async run({ startSession, confirm }) {
    const { client } = await startSession();
    await confirm("Remove the language model and its key?");
    await client.languageModel.delete();
    return { removed: true };
  },
  show: () => "Removed the language model and its key.",
});
