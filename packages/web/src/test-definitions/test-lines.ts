import type { StoredTestVersion } from "./test-content.ts";

/** Returns the content of a version as lines, for a diff. */
export function testLines({ scenario, expected_behaviors, personas, mock_tools }: StoredTestVersion): string[] {
  const tools = mock_tools.flatMap(({ tool, delay_ms, succeeds_when, ...result }) => [
    `Mock tool ${tool}${delay_ms === 0 ? "" : ` after ${delay_ms} ms`}:`,
    ...(succeeds_when === undefined ? [] : [`  succeeds when ${succeeds_when}`]),
    ...("error" in result
      ? [`  fails: ${result.error}`]
      : JSON.stringify(result.answer, null, 2)
          .split("\n")
          .map((line) => `  ${line}`)),
  ]);
  return [
    ...scenario.split("\n").filter((line) => line.trim() !== ""),
    ...expected_behaviors.map((behavior) => `- ${behavior}`),
    ...personas.map((persona) => `Persona: ${persona}`),
    ...tools,
  ];
}
