import { isDeepStrictEqual } from "node:util";
import { AppError } from "./errors.ts";

/** A record whose content lives in versions that are never changed, as it stands. */
type Versioned<C> = { name: string; content: C };

/** What an edit asks for; what is undefined stays as it is. */
type Edit<C> = { name?: string | undefined; content: { [M in keyof C]: C[M] | undefined } };

/** What an edit does: nothing, a new name, a new version, or both. */
export type Change<C> = { name: string | undefined; content: C | undefined };

export function changeOf<C extends object>(current: Versioned<C>, edit: Edit<C>): Change<C> {
  const given = Object.entries(edit.content).filter(([, value]) => value !== undefined);
  const content = { ...current.content, ...Object.fromEntries(given) } as C;
  return {
    name: edit.name === undefined || edit.name === current.name ? undefined : edit.name,
    content: isDeepStrictEqual(content, current.content) ? undefined : content,
  };
}

/** The words of a stale edit's refusal. */
export const editedSince = (what: string, currentVersionId: string): string =>
  `The ${what} was edited since: read it, send its current version id ${currentVersionId} and try again.`;

/** The refusal of an edit that builds on another version than the current one, as `/v1` answers it. */
export const staleEdit = (
  what: string,
  { id, name, current }: { id: string; name: string; current: { id: string } },
  expectedVersionId: string,
) =>
  new AppError("version_conflict", editedSince(what, current.id), {
    [what]: { id, name },
    expectedVersionId,
    currentVersionId: current.id,
  });
