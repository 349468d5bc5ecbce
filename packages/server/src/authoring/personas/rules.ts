import type { operations } from "@svc/contract";
import type { z } from "zod";
import type { TraitRefusal } from "../../voice/capabilities/allows.ts";
import { AppError } from "../../base/errors.ts";
import { type Change, changeOf, staleEdit } from "../../base/versions.ts";
import { SHIPPED } from "./library.ts";
import type { ProjectPersona, PersonaContent } from "./persona.ts";

type EditBody = z.output<(typeof operations.personas.edit)["body"]>;

export function decideEdit(persona: ProjectPersona, edit: EditBody): Change<PersonaContent> {
  refuseShipped(persona);
  if (persona.archived_at !== null) {
    throw new AppError("conflict", "The persona is archived. Restore it first, or fork it.");
  }
  const { expectedVersionId, name, traits, models } = edit;
  const change = changeOf(persona, expectedVersionId, { name, content: { traits, models } }, staleEdit("persona"));
  refuseShippedName(change.name);
  return change;
}

/** Throws for a shipped persona, and for the project's default persona, which calls when a test names no persona. */
export function decideArchive(persona: ProjectPersona, defaultId: string): boolean {
  refuseShipped(persona);
  if (persona.id === defaultId) {
    throw new AppError("conflict", "The project's default persona cannot be archived. Choose another default first.");
  }
  return persona.archived_at === null;
}

export function decideRestore(persona: ProjectPersona, name: string | undefined): string | undefined {
  if (persona.archived_at === null) return undefined;
  refuseShippedName(name);
  return name ?? persona.name;
}

export function decideDefault(persona: ProjectPersona): void {
  if (persona.archived_at === null) return;
  throw new AppError("conflict", "The persona is archived. Restore it before you make it the default.");
}

function refuseShipped(persona: ProjectPersona): void {
  if (persona.project_id !== null) return;
  throw new AppError(
    "conflict",
    `"${persona.name}" ships with the service and cannot be changed. Fork it, then change the copy.`,
  );
}

/** Throws for the name of a shipped persona. Tests may reference a persona by its name, so no other persona may have this name. */
export function refuseShippedName(name: string | undefined): void {
  if (!SHIPPED.some((persona) => persona.name === name)) return;
  throw new AppError("name_taken", "A persona that ships with the service has this name; choose another.");
}

export function refuseUnfit(refusal: TraitRefusal | undefined): void {
  if (refusal === undefined) return;
  const { member, reason } = refusal;
  throw new AppError("unprocessable", `The persona's models do not support this trait (${member}): ${reason}`, {
    member,
  });
}

type Candidate = { id: string; name: string; archived_at: string | null };

/**
 * Returns the ids of the personas that a test references by id or name. Throws for a reference that fits no persona, several personas or an
 * archived persona, and for a second reference to the same persona.
 */
export function resolvePersonas(references: readonly string[], candidates: readonly Candidate[]): string[] {
  const ids = references.map((reference, index) => {
    const unusable = (message: string) => unusableAt(index, message);
    const matching = candidates.filter(({ id, name }) => id === reference || name === reference);
    const usable = matching.filter(({ id, archived_at }) => id === reference || archived_at === null);
    if (usable.length > 1) throw unusable(`"${reference}" names more than one persona; send the id.`);
    const [persona = matching[0]] = usable;
    if (!persona) throw unusable(`There is no persona "${reference}". \`svc personas list\` shows all personas.`);
    if (persona.archived_at !== null)
      throw unusable(`The persona "${reference}" is archived. Restore it, or name another.`);
    return persona.id;
  });
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated === -1) return ids;
  throw unusableAt(repeated, `The persona "${references[repeated]}" is listed twice; list each persona once.`);
}

const unusableAt = (index: number, message: string) =>
  new AppError("unprocessable", message, { issues: [{ path: `personas.${index}`, message }] });
