import { SvcError } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Merge, type MergeChoice, sameValue } from "./merge.ts";
import { type DraftBase, useDraft } from "./use-draft.ts";

/** A stored version, and when it was saved. */
type StoredBase<Content> = DraftBase<Content> & { savedAt: string | null };

/** An edit that the service refused because somebody saved another one meanwhile. */
export type RefusedEdit<Content> = { begun: number; onto: StoredBase<Content>; merge: Merge<Content> };

type EditorOptions<Content, Stored, Errors> = {
  /** Name of the draft in the tab's storage. */
  key: string;
  stored: Stored;
  baseOf: (stored: Stored) => StoredBase<Content>;
  /** Whether a save stores anything, and whether it makes a version. */
  changeOf: (base: Content, content: Content) => { isChanged: boolean; makesVersion: boolean };
  /** Saves the content as an edit of the base. */
  save: (base: DraftBase<Content>, content: Content) => Promise<Stored>;
  /** Reads the stored record again. */
  read: () => Promise<Stored>;
  merge: (base: Content, mine: Content, theirs: Content) => Promise<Merge<Content>>;
  noErrors: Errors;
  errorsOf: (error: unknown, content: Content) => Errors;
  onStored: (stored: Stored) => void;
};

/** Holds a person's edit of a record with versions, saves it, and merges it with an edit that somebody saved meanwhile. */
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
      // The person may have typed while the request was under way.
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
    /** The version that a save makes; the present one when a save makes none. */
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
    /** Discards the person's edit, and shows the version that somebody else saved meanwhile. */
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

/** The editor of a record with versions, for the parts of a page. */
export type VersionedEditor<Content, Errors> = ReturnType<typeof useVersionedEditor<Content, unknown, Errors>>;
