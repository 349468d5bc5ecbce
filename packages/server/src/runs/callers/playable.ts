import { type CallerScript, readCallerScript } from "@svc/contract";

export const ADD_A_LINE = "Add a `Says:` line to the scenario (docs/callers.md), or set a language model";
const NAMES_MAX = 10;

/** Returns whether a scripted caller has lines. A caller with facts alone would never speak first. */
export const isPlayable = ({ lines }: CallerScript): boolean => lines.length > 0;

type ScenarioOfTest = { name: string; scenario: string };

export function callerWarnings(caller: "scripted" | "model", tests: readonly ScenarioOfTest[]): string[] {
  const scripts = tests.map(({ name, scenario }) => ({ name, script: readCallerScript(scenario) }));
  if (caller === "model") {
    return scripts.some(({ script }) => isPlayable(script))
      ? [
          "The model takes caller lines in scenarios as examples; choose the caller `scripted` to say them word for word.",
        ]
      : [];
  }
  const warnings = scripts.flatMap(({ name, script }) => script.problems.map((problem) => `"${name}": ${problem}`));
  const silent = scripts.filter(({ script }) => !isPlayable(script)).map(({ name }) => `"${name}"`);
  if (silent.length > 0) {
    const rest = silent.length - NAMES_MAX;
    const names = silent.slice(0, NAMES_MAX).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
    warnings.push(
      `The scripted caller has no line in ${names}: no simulation is played and no verdict is made. ${ADD_A_LINE}.`,
    );
  }
  return warnings;
}
