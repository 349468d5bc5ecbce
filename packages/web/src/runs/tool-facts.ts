type PlayedCall = { name: string; mocked: boolean };

/**
 * Returns whether each tool call of a conversation was answered by a mock tool, by its index. Calls are matched in order; after a
 * call with another name nothing is said.
 */
export function toolFactsOf(
  played: readonly PlayedCall[],
  recorded: readonly { name: string | null }[],
): Map<number, string> {
  const facts = new Map<number, string>();
  for (const [index, { name, mocked }] of played.entries()) {
    if (recorded[index]?.name !== name) break;
    facts.set(index, mocked ? "mocked" : "not mocked");
  }
  return facts;
}
