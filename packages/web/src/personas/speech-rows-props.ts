import type { PersonaErrors } from "./persona-errors.ts";
import type { Models, SetModels, SetTraits, Traits } from "./persona-types.ts";

export type SpeechRowsProps = {
  traits: Traits;
  models: Models;
  errors: PersonaErrors;
  setTraits: SetTraits;
  setModels: SetModels;
};
