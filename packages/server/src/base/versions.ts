import { isDeepStrictEqual } from "node:util";
import { AppError } from "./errors.ts";

/** One version of a record. Its content never changes. */
export type Version<Content, Time = string> = { id: string; version: number; content: Content; created_at: Time };

/** A record whose content has versions. A shipped record has neither a project nor times. */
export type VersionedRecord<Content> = {
  id: string;
  project_id: string | null;
  name: string;
  current: Version<Content, string | null>;
  created_at: string | null;
  updated_at: string | null;
};

export type ShippedRecord<Content> = VersionedRecord<Content> & {
  current: Version<Content, null>;
  versions: readonly Version<Content, null>[];
  archived_at: null;
};

export const shippedRecord = <Content>(
  id: string,
  name: string,
  versions: readonly Version<Content, null>[],
): ShippedRecord<Content> => ({
  id,
  project_id: null,
  name,
  current: versions[0]!,
  versions,
  archived_at: null,
  created_at: null,
  updated_at: null,
});

export type VersionWithRecord<R extends VersionedRecord<unknown>> = { record: R; version: R["current"] };

type Request<Content> = { name?: string | undefined; content: { [M in keyof Content]: Content[M] | undefined } };

/** Changes of an edit: nothing, a new name, a new version, or both. */
export type Change<Content> = { name: string | undefined; content: Content | undefined };

type RefuseStale = (record: VersionedRecord<unknown>, expectedVersionId: string) => AppError;

export function changeOf<Content extends object>(
  record: VersionedRecord<Content>,
  expectedVersionId: string,
  request: Request<Content>,
  refuseStale: RefuseStale,
): Change<Content> {
  const { name, current } = record;
  if (expectedVersionId !== current.id) throw refuseStale(record, expectedVersionId);
  const sent = Object.entries(request.content).filter(([, value]) => value !== undefined);
  const content = { ...current.content, ...Object.fromEntries(sent) } as Content;
  return {
    name: request.name === name ? undefined : request.name,
    content: isDeepStrictEqual(content, current.content) ? undefined : content,
  };
}

export const staleEditMessage = (noun: string, currentVersionId: string): string =>
  `Someone edited the ${noun} meanwhile. Read it, then repeat the edit with its current version id ${currentVersionId}.`;

/** A record that counts its changes and stores no versions. */
type RevisedRecord = { id: string; name: string; revision: number };

export function refuseStaleRevision(
  noun: string,
  { id, name, revision }: RevisedRecord,
  expectedRevision: number | undefined,
): void {
  if (expectedRevision === undefined || expectedRevision === revision) return;
  throw new AppError(
    "version_conflict",
    `Someone changed the ${noun} meanwhile. Read it, then repeat the edit with its current revision ${revision}.`,
    { [noun]: { id, name }, expectedRevision, currentRevision: revision },
  );
}

/** Returns the function that creates the error of a stale edit. Details of errors in `/v1` have names in camelCase. */
export const staleEdit =
  (noun: string): RefuseStale =>
  ({ id, name, current }, expectedVersionId) =>
    new AppError("version_conflict", staleEditMessage(noun, current.id), {
      [noun]: { id, name },
      expectedVersionId,
      currentVersionId: current.id,
    });

/**
 * Runs an edit. When the edit fails because it is stale, adds the result of `readCurrent`, the current record, to the error's details, so
 * that the author can merge.
 */
export async function withCurrent<T>(
  edit: () => Promise<T>,
  readCurrent: (details: Record<string, unknown>) => Promise<unknown>,
): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "version_conflict") throw error;
    const { code, message, details = {} } = error;
    throw new AppError(code, message, { ...details, current: await readCurrent(details) });
  }
}
