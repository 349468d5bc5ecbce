import { SvcError } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Merge, type MergeChoice, sameValue } from "./merge.ts";
import { type DraftBase, useDraft } from "./use-draft.ts";

/** `savedAt` is null for an unknown time. */
type StoredBase<Content> = DraftBase<Content> & { savedAt: string | null };

/** Edit that the service rejected, because somebody had saved another version meanwhile. */
export type RefusedEdit<Content> = { begun: number; onto: StoredBase<Content>; merge: Merge<Content> };

type EditorOptions<Content, Stored, Errors> = {
  /** Name of the draft in the session storage of the tab. */
  key: string;
  stored: Stored;
  baseOf: (stored: Stored) => StoredBase<Content>;
  changeOf: (base: Content, content: Content) => { isChanged: boolean; makesVersion: boolean };
  save: (base: DraftBase<Content>, content: Content) => Promise<Stored>;
  read: () => Promise<Stored>;
  merge: (base: Content, mine: Content, theirs: Content) => Promise<Merge<Content>>;
  noErrors: Errors;
  errorsOf: (error: unknown, content: Content) => Errors;
  onStored: (stored: Stored) => void;
};

/** Returns a person's edit of a record with versions, and functions that save it or merge it with a version that somebody else saved. */
export function useVersionedEditor<Content, Stored, Errors>(options: EditorOptions<Content, Stored, Errors>) {
  const { baseOf, changeOf, noErrors } = options;
  const draft = useDraft(options.key, baseOf(options.stored));
  const [errors, setErrors] = useState(noErrors);
  const [refused, setRefused] = useState<RefusedEdit<Content>>();

  const latest = useRef(draft.content);
  useEffect(() => {
    latest.current = draft.content;
  });

  const saving = useMutation({
    mutationFn: ({ base, content }: { base: DraftBase<Content>; content: Content }) =>
      changeOf(base.content, content).isChanged ? options.save(base, content) : options.read(),
    onSuccess: (stored, { content }) => {
      options.onStored(stored);
      // The person may have typed while the request was running.
      if (sameValue(latest.current, content)) draft.discard();
      else draft.rebase(baseOf(stored), latest.current);
      setErrors(noErrors);
      setRefused(undefined);
    },
    onError: async (error, { base, content }) => {
      if (!(error instanceof SvcError) || error.code !== "version_conflict") {
        setRefused(undefined);
        setErrors(options.errorsOf(error, content));
        return;
      }
      const onto = baseOf(await options.read());
      setRefused({ begun: base.version, onto, merge: await options.merge(base.content, content, onto.content) });
    },
  });

  const { isChanged, makesVersion } = changeOf(draft.base.content, draft.content);
  return {
    content: draft.content,
    base: draft.base,
    errors,
    refused,
    isChanged,
    isStale: isChanged && draft.isStale,
    isSaving: saving.isPending,
    /** Version that a save creates; the current version if a save creates none. */
    nextVersion: draft.base.version + (makesVersion ? 1 : 0),
    change: draft.change,
    save: () => {
      if (isChanged && !saving.isPending) saving.mutate({ base: draft.base, content: draft.content });
    },
    discard: () => {
      draft.discard();
      setErrors(noErrors);
    },
    keepEditing: () => setRefused(undefined),
    takeSaved: async () => {
      const stored = await options.read();
      draft.discard();
      setRefused(undefined);
      options.onStored(stored);
    },
    saveMerged: (choices: Record<string, MergeChoice>) => {
      if (refused === undefined) return;
      const content = refused.merge.result(choices);
      draft.rebase(refused.onto, content);
      saving.mutate({ base: refused.onto, content });
    },
  };
}

export type VersionedEditor<Content, Errors> = ReturnType<typeof useVersionedEditor<Content, unknown, Errors>>;
