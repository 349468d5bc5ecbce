import { SvcError } from "@svc/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Merge, MergeChoice } from "../editing/merge.ts";
import { type DraftBase, useDraft } from "../editing/use-draft.ts";
import { usePlace } from "../frame/place.ts";
import { testQuery } from "./queries.ts";
import { changedFields, contentOf, makesVersion, type StoredTest, type TestContent } from "./test-content.ts";
import { NO_TEST_ERRORS, testErrorsOf } from "./test-errors.ts";

type Base = DraftBase<TestContent>;
/** An edit that the service refused because somebody saved another one meanwhile. */
export type RefusedEdit = { begun: number; onto: Base; savedAt: string; merge: Merge<TestContent> };

const baseOf = (test: StoredTest): Base => ({
  versionId: test.version_id,
  version: test.version,
  content: contentOf(test),
});

/** Holds the edit of one stored test, saves it, and merges it with an edit that somebody saved meanwhile. */
export function useTestEditor(test: StoredTest) {
  const place = usePlace();
  const cache = useQueryClient();
  const draft = useDraft(`test.${test.id}`, baseOf(test));
  const [errors, setErrors] = useState(NO_TEST_ERRORS);
  const [refused, setRefused] = useState<RefusedEdit>();

  const store = (saved: StoredTest) => {
    cache.setQueryData(testQuery(place, saved.id).queryKey, saved);
    for (const name of ["tests.list", "tests.versions", "runs.resultsOfTests"])
      void cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, name] });
  };

  const saving = useMutation({
    mutationFn: async ({ base, content }: { base: Base; content: TestContent }) => {
      const fields = changedFields(base.content, content);
      const one = { testId: test.id, project: place.projectId };
      if (fields === undefined) return place.client.tests.get(one);
      return place.client.tests.edit({ ...one, expected_version_id: base.versionId, ...fields });
    },
    onSuccess: (saved) => {
      draft.discard();
      setErrors(NO_TEST_ERRORS);
      setRefused(undefined);
      store(saved);
    },
    onError: async (error, { base, content }) => {
      if (!(error instanceof SvcError) || error.code !== "version_conflict") {
        setRefused(undefined);
        setErrors(testErrorsOf(error, content));
        return;
      }
      const [current, { mergeTests }] = await Promise.all([
        place.client.tests.get({ testId: test.id, project: place.projectId }),
        import("./merge-tests.ts"),
      ]);
      const onto = baseOf(current);
      setRefused({
        begun: base.version,
        onto,
        savedAt: current.updated_at,
        merge: mergeTests(base.content, content, onto.content),
      });
    },
  });

  const isChanged = changedFields(draft.base.content, draft.content) !== undefined;
  return {
    content: draft.content,
    base: draft.base,
    errors,
    refused,
    isChanged,
    isStale: isChanged && draft.isStale,
    isSaving: saving.isPending,
    /** The version that a save makes; the present one when only the name changes. */
    nextVersion: draft.base.version + (makesVersion(draft.base.content, draft.content) ? 1 : 0),
    change: draft.change,
    save: () => {
      if (isChanged && !saving.isPending) saving.mutate({ base: draft.base, content: draft.content });
    },
    discard: () => {
      draft.discard();
      setErrors(NO_TEST_ERRORS);
    },
    keepEditing: () => setRefused(undefined),
    takeSaved: ({ onto }: RefusedEdit) => {
      draft.rebase(onto, onto.content);
      setRefused(undefined);
      void cache.invalidateQueries({ queryKey: testQuery(place, test.id).queryKey });
    },
    saveMerged: ({ onto, merge }: RefusedEdit, choices: Record<string, MergeChoice>) => {
      const content = merge.result(choices);
      draft.rebase(onto, content);
      saving.mutate({ base: onto, content });
    },
  };
}
