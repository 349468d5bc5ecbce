import type { Grader } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { sameValue } from "../editing/merge.ts";
import { useVersionedEditor } from "../editing/use-versioned-editor.ts";
import { usePlace } from "../frame/place.ts";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { DEFINITION_FIELDS } from "./definition-fields.tsx";
import { definitionOf, draftOf, type GraderContent } from "./definition.ts";
import { graderQuery } from "./queries.ts";

/** The service's words about an edit, with the error itself. */
type GraderErrors = FormErrors & { error?: unknown };

/** Holds the edit of one own grader. */
export function useGraderEditor(grader: Grader) {
  const place = usePlace();
  const cache = useQueryClient();
  const one = { graderId: grader.id, projectId: place.projectId };
  return useVersionedEditor<GraderContent, Grader, GraderErrors>({
    key: `grader.${grader.id}`,
    stored: grader,
    baseOf: (stored) => ({
      versionId: stored.versionId,
      version: stored.version,
      content: { name: stored.name, draft: draftOf(stored.definition) },
      savedAt: stored.updatedAt,
    }),
    changeOf: (base, content) => {
      const makesVersion = !sameValue(definitionOf(content.draft), definitionOf(base.draft));
      return { isChanged: makesVersion || content.name.trim() !== base.name, makesVersion };
    },
    save: async (base, { name, draft }) => {
      const fields = { name: name.trim(), definition: definitionOf(draft) };
      return (await place.client.graders.edit({ ...one, expectedVersionId: base.versionId, ...fields })).grader;
    },
    read: async () => (await place.client.graders.get(one)).grader,
    merge: async (...sides) => (await import("./merge-graders.ts")).mergeGraders(...sides),
    noErrors: NO_ERRORS,
    errorsOf: (error) => ({ ...formErrorsOf(error, DEFINITION_FIELDS), error }),
    onStored: (stored) => {
      cache.setQueryData(graderQuery(place, stored.id).queryKey, stored);
      for (const operation of ["graders.list", "graders.versions", "graders.agreement"])
        void cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, operation] });
    },
  });
}
