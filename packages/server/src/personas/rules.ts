import { AppError } from "../errors.ts";
import type { LibraryPersona } from "./library.ts";

/** The ids that names or ids mean among the personas a project knows; unknown, ambiguous or repeated ones are refused. */
export function resolvePersonas(references: readonly string[], known: readonly LibraryPersona[]): string[] {
  const ids = references.map((reference) => {
    const matches = known.filter((persona) => persona.id === reference || persona.name === reference);
    if (matches.length === 1) return matches[0]!.id;
    const problem = matches.length === 0 ? "There is no persona" : "More than one persona is named";
    throw new AppError(
      "unprocessable",
      `${problem} "${reference}"; known: ${known.map(({ name }) => name).join(", ")}.`,
    );
  });
  const repeated = references.find((_, index) => ids.indexOf(ids[index]!) !== index);
  if (repeated !== undefined)
    throw new AppError("unprocessable", `The persona "${repeated}" is listed twice; list each once.`);
  return ids;
}
