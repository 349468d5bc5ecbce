import type { Models, PersonaErrors, SetModels, SetTraits, Traits } from "./persona-content.ts";

export type SpeechRowsProps = {
  traits: Traits;
  models: Models;
  errors: PersonaErrors;
  setTraits: SetTraits;
  setModels: SetModels;
};
