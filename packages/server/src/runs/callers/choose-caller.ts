import { patternOf, search } from "../../grading/pattern/pattern.ts";
import { seeded } from "../../grading/seeded.ts";
import type { LanguageModel } from "../../language-model/language-model.ts";
import type { PersonaStore } from "../../personas/store.ts";
import { LineFailure } from "../lines/line.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import { briefOf } from "./brief.ts";
import type { SimulatedCaller } from "./caller.ts";
import { modelCaller } from "./model.ts";
import { ruleBasedCaller } from "./rule-based.ts";
import { type ScriptLine, scriptOf, withoutScript } from "./script.ts";
import { scriptedCaller } from "./scripted.ts";

export type ChooseCaller = (simulation: SimulationRow, run: RunRow, scenario: string) => Promise<SimulatedCaller>;

/** Returns a function that chooses the caller of a simulation: the model, the scenario's script, or rules. */
export function createChooseCaller(personas: PersonaStore, model: LanguageModel | undefined): ChooseCaller {
  return async (simulation, run, scenario) => {
    const seed = [simulation.test_version_id, simulation.persona_version_id, simulation.iteration].join(" ");
    if (run.caller === "model") {
      if (!model)
        throw new LineFailure(
          "simulator_error",
          "The service has no language model any more: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, and start the run again.",
        );
      const { version } = await personas.getVersion(run.project_id, simulation.persona_version_id);
      return modelCaller(model, briefOf(scenario, simulation.persona_name, version), seed);
    }
    const script = scriptOf(scenario);
    return script ? scriptedCaller(script, matches) : ruleBasedCaller(withoutScript(scenario), seeded(seed));
  };
}

function matches({ waitFor, waitForFlags }: ScriptLine, text: string): boolean {
  const pattern = patternOf(waitFor!, waitForFlags);
  if ("problem" in pattern)
    throw new LineFailure("simulator_error", `The script waits for /${waitFor}/: ${pattern.problem}`);
  return typeof search(pattern, text) === "object";
}
