import { useCallback, useEffect, useState } from "react";
import { sameValue } from "./merge.ts";

/** The stored version that an edit began with. */
export type DraftBase<Content> = { versionId: string; version: number; content: Content };

/** An edit that is not saved. */
type Draft<Content> = { base: DraftBase<Content>; content: Content };

const PREFIX = "svc.draft.";

/** Returns the draft that a reload left behind; undefined without one. */
function readDraft<Content>(key: string): Draft<Content> | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function writeDraft(key: string, draft: Draft<unknown> | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}

/**
 * Holds a person's unsaved edit of a stored record; it survives a reload. Without an edit the content follows the stored one.
 * `first` is the content that a new record begins with, as an unsaved edit.
 */
export function useDraft<Content>(key: string, stored: DraftBase<Content>, first?: Content) {
  const [draft, setDraft] = useState<Draft<Content> | undefined>(
    () => readDraft(key) ?? (first === undefined ? undefined : { base: stored, content: first }),
  );
  const base = draft?.base ?? stored;
  const content = draft?.content ?? stored.content;
  useEffect(() => writeDraft(key, draft), [key, draft]);

  /** Replaces the content. */
  const change = (next: Content) => setDraft(sameValue(next, base.content) ? undefined : { base, content: next });

  /** Begins again with a stored version; `next` is the content that differs from it. */
  const rebase = useCallback(
    (onto: DraftBase<Content>, next: Content) =>
      setDraft(sameValue(next, onto.content) ? undefined : { base: onto, content: next }),
    [],
  );

  /** Forgets the edit, also in the store, before the page goes away. */
  const discard = useCallback(() => {
    writeDraft(key, undefined);
    setDraft(undefined);
  }, [key]);

  return { base, content, change, rebase, discard, isStale: base.versionId !== stored.versionId };
}
