import type { operations, Persona as PersonaAnswer, PersonaVersion as VersionAnswer } from "@svc/contract";
import type { z } from "zod";
import type { TraitRefusal } from "../capabilities/allows.ts";
import { AppError } from "../errors.ts";
import { type Change, changeOf, staleEdit } from "../versions.ts";
import { SHIPPED } from "./library.ts";
import type { Persona, PersonaContent, PersonaVersion } from "./persona.ts";

type Edit = z.output<(typeof operations.personas.edit)["body"]>;

/** What an edit does: nothing, a new name, a new version, or both; a stale one is refused with both version ids. */
export function decideEdit(persona: Persona, edit: Edit): Change<PersonaContent> {
  refuseShipped(persona);
  if (persona.archivedAt !== null) {
    throw new AppError("conflict", "The persona is archived: restore it first, or fork it.");
  }
  const { expectedVersionId, name, traits, models } = edit;
  if (expectedVersionId !== persona.current.id) throw staleEdit("persona", persona, expectedVersionId);
  const change = changeOf(
    { name: persona.name, content: persona.current.content },
    { name, content: { traits, models } },
  );
  refuseShippedName(change.name);
  return change;
}

/** Whether an archive changes anything; the project's default one is refused, since somebody has to call. */
export function decideArchive(persona: Persona, defaultId: string): boolean {
  refuseShipped(persona);
  if (persona.id === defaultId) {
    throw new AppError("conflict", "The project's default persona stays: make another one the default first.");
  }
  return persona.archivedAt === null;
}

/** The name under which a restore brings the persona back; undefined when it is live already. */
export function decideRestore(persona: Persona, name: string | undefined): string | undefined {
  if (persona.archivedAt === null) return undefined;
  refuseShippedName(name);
  return name ?? persona.name;
}

export function decideDefault(persona: Persona): void {
  if (persona.archivedAt === null) return;
  throw new AppError("conflict", "The persona is archived: restore it before you make it the default.");
}

function refuseShipped(persona: Persona): void {
  if (persona.projectId !== null) return;
  throw new AppError(
    "conflict",
    `"${persona.name}" ships with the service and stays as it is: fork it, and change the copy.`,
  );
}

/** A name means one persona, so that a test can name it. */
export function refuseShippedName(name: string | undefined): void {
  if (!SHIPPED.some((persona) => persona.name === name)) return;
  throw new AppError("name_taken", "A persona that ships with the service has this name; choose another.");
}

export function refuseUnfit(refusal: TraitRefusal | undefined): void {
  if (refusal === undefined) return;
  const { member, reason } = refusal;
  throw new AppError("unprocessable", `The models of the persona do not allow it (${member}): ${reason}`, { member });
}

type Known = { id: string; name: string; archivedAt: string | null };

/** The ids that names or ids mean among known personas; unknown, archived, ambiguous or repeated ones are refused. */
export function resolvePersonas(references: readonly string[], known: readonly Known[]): string[] {
  const ids = references.map((reference) => {
    const named = known.filter(({ id, name }) => id === reference || name === reference);
    const meant = named.filter(({ id, archivedAt }) => id === reference || archivedAt === null);
    if (meant.length > 1) throw unusable(`More than one persona is meant by "${reference}": send its id.`);
    const [persona = named[0]] = meant;
    if (!persona) throw unusable(`There is no persona "${reference}": \`svc personas list\` shows them.`);
    if (persona.archivedAt !== null)
      throw unusable(`The persona "${reference}" is archived: restore it, or name another.`);
    return persona.id;
  });
  const repeated = references.find((_, index) => ids.indexOf(ids[index]!) !== index);
  if (repeated !== undefined) throw unusable(`The persona "${repeated}" is listed twice; list each once.`);
  return ids;
}

const unusable = (message: string) => new AppError("unprocessable", message);

export function presentPersona(persona: Persona, defaultId: string): z.infer<typeof PersonaAnswer> {
  const { id, projectId, name, current, archivedAt, createdAt, updatedAt } = persona;
  return {
    id,
    projectId,
    name,
    source: projectId === null ? "shipped" : "own",
    isDefault: id === defaultId,
    version: current.version,
    versionId: current.id,
    ...current.content,
    archived: archivedAt !== null,
    archivedAt,
    createdAt,
    updatedAt,
  };
}

export function presentVersion(persona: Persona, version: PersonaVersion): z.infer<typeof VersionAnswer> {
  return {
    id: version.id,
    personaId: persona.id,
    personaName: persona.name,
    version: version.version,
    current: version.id === persona.current.id,
    ...version.content,
    createdAt: version.createdAt,
  };
}
