import { useCallback, useEffect, useState } from "react";
import { sameValue } from "./merge.ts";

/** Stored version with which an edit began. */
export type DraftBase<Content> = { versionId: string; version: number; content: Content };

type Draft<Content> = { base: DraftBase<Content>; content: Content };

const PREFIX = "svc.draft.";

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
    // Without storage, the draft is lost when the page is left.
  }
}

/**
 * A person's unsaved edit survives a reload. Without an edit, returns the stored content. `first` is the initial content of a new
 * record, and counts as an unsaved edit.
 */
export function useDraft<Content>(key: string, stored: DraftBase<Content>, first?: Content) {
  const [draft, setDraft] = useState<Draft<Content> | undefined>(
    () => readDraft(key) ?? (first === undefined ? undefined : { base: stored, content: first }),
  );
  const base = draft?.base ?? stored;
  const content = draft?.content ?? stored.content;
  useEffect(() => writeDraft(key, draft), [key, draft]);

  /** Content that equals the base is no edit. */
  const change = (next: Content) => setDraft(sameValue(next, base.content) ? undefined : { base, content: next });

  /** Continues the edit from another stored version. `next` is the content of the edit. */
  const rebase = useCallback(
    (onto: DraftBase<Content>, next: Content) =>
      setDraft(sameValue(next, onto.content) ? undefined : { base: onto, content: next }),
    [],
  );

  /** Also removes the edit from the storage at once, because the page may be left before the effect runs. */
  const discard = useCallback(() => {
    writeDraft(key, undefined);
    setDraft(undefined);
  }, [key]);

  return { base, content, change, rebase, discard, isStale: base.versionId !== stored.versionId };
}
