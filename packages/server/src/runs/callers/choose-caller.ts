import { type CallerLine, readCallerScript, SET_LANGUAGE_MODEL } from "@svc/contract";
import { patternOf, search } from "../../grading/pattern/pattern.ts";
import type { LanguageModels } from "../../grading/language-model/open.ts";
import type { PersonaStore } from "../../authoring/personas/store.ts";
import { LineFailure } from "../lines/line.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import { briefOf } from "./brief.ts";
import type { SimulatedCaller } from "./caller.ts";
import { modelCaller } from "./model.ts";
import { ADD_A_LINE, isPlayable } from "./playable.ts";
import { scriptedCaller } from "./scripted.ts";

export type ChooseCaller = (simulation: SimulationRow, run: RunRow, scenario: string) => Promise<SimulatedCaller>;

export function createChooseCaller(personas: PersonaStore, modelOf: LanguageModels["ofProject"]): ChooseCaller {
  return async (simulation, run, scenario) => {
    if (run.caller === "model") {
      const model = await modelOf(run.project_id);
      if (!model)
        throw new LineFailure(
          "simulator_error",
          `There is no language model any more. ${SET_LANGUAGE_MODEL}, and start the run again.`,
        );
      if (run.caller_model !== null && run.caller_model !== model.model)
        throw new LineFailure(
          "simulator_error",
          `The run was planned with the caller's model ${run.caller_model}, and the language model is ${model.model} now: start the run again.`,
        );
      const seed = [simulation.test_version_id, simulation.persona_version_id, simulation.iteration].join(" ");
      const { version } = await personas.getVersion(run.project_id, simulation.persona_version_id);
      const brief = briefOf({ scenario, personaName: simulation.persona_name, version, seed, today: new Date() });
      return modelCaller(model, brief, seed);
    }
    const script = readCallerScript(scenario);
    const [problem] = script.problems;
    if (problem !== undefined) throw new LineFailure("simulator_error", problem);
    if (!isPlayable(script)) {
      throw new LineFailure("no_caller_lines", `The scenario gives the scripted caller no line. ${ADD_A_LINE}.`);
    }
    return scriptedCaller(script, matches);
  };
}

function matches({ words }: CallerLine, text: string): boolean {
  const pattern = patternOf(words!, "i");
  if ("problem" in pattern)
    throw new LineFailure("simulator_error", `A caller line waits for /${words}/: ${pattern.problem}`);
  const found = search(pattern, text);
  if (found === "too_costly")
    throw new LineFailure("simulator_error", `The agent's words are too long for /${words}/ of a caller line.`);
  return found !== undefined;
}
