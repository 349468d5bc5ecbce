import type { Persona } from "./persona-types.ts";

type OrderedPersona = Pick<Persona, "name" | "source" | "isDefault">;

/** Returns personas in the order of pages: the default one, then the project's own as they are, then the shipped ones by name. */
export const inPageOrder = <T extends OrderedPersona>(personas: readonly T[]): T[] =>
  personas.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.source === "shipped" ? a.name.localeCompare(b.name) : 0));

const rankOf = ({ isDefault, source }: OrderedPersona): number => (isDefault ? 0 : source === "shipped" ? 2 : 1);
