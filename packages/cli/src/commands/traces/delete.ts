import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";

export default command({
  summary: "Delete a conversation",
  description:
    "Erases all traces of the conversation, its turns, measures, grades and notes of labels. The service drops spans of the conversation that arrive later. The simulation of a deleted conversation keeps its verdicts without texts. Asks for confirmation.",
  examples: [
    "<%= config.bin %> traces delete e87a0e1465e1d06e8d979e00fd1fec2a",
    "<%= config.bin %> traces delete e87a0e1465e1d06e8d979e00fd1fec2a --yes",
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: { yes: yesFlag() },
  async run({ args, startSession, confirm }) {
    const { client, projectId } = await startSession();
    const trace = await client.traces.get({ traceId: args.id, projectId });
    const name = trace.conversationId ?? trace.traceId;
    await confirm(`Erase the conversation ${name} (${trace.turns.length} turns)? It cannot be restored.`);
    await client.traces.delete({ traceId: args.id, projectId });
    return { deleted: { traceId: trace.traceId, conversationId: trace.conversationId } };
  },
  show: ({ deleted }) => `Deleted the conversation ${deleted.conversationId ?? deleted.traceId} (${deleted.traceId}).`,
});
