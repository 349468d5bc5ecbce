import type { Grader } from "@svc/contract";
import { queries, refresh } from "../queries.ts";
import { EditMerge } from "../editing/edit-merge.tsx";
import { sameValue } from "../editing/merge.ts";
import { LeaveGuard } from "../editing/record-page.tsx";
import { useVersionedEditor } from "../editing/use-versioned-editor.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { TextField } from "../ui/field.tsx";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { definitionOf, draftOf, type GraderContent } from "./definition.ts";
import { DEFINITION_FIELDS, DefinitionFields } from "./definition-fields.tsx";
import styles from "./graders.module.css";
import { graderQuery } from "./queries.ts";

/** A changed definition becomes the next version. A run uses the version that was current at its start. */
export function DefinitionEditor({ grader }: { grader: Grader }) {
  const editor = useGraderEditor(grader);
  const { base, content, errors, isChanged, change } = editor;
  useKeys({ "mod+s": editor.save });
  return (
    <Card title="What it decides" note={`version ${base.version}`}>
      <form
        className={styles["fields"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          editor.save();
        }}
      >
        {errors.form !== undefined && <Failure error={errors.error} />}
        {editor.isStale && (
          <Notice kind="warning">
            Somebody saved version {grader.version} while you were editing version {base.version}. Save to merge both
            edits.
          </Notice>
        )}
        <TextField
          label="Name"
          value={content.name}
          error={errors.fields["name"]}
          onChange={({ target }) => change({ ...content, name: target.value })}
        />
        <DefinitionFields
          draft={content.draft}
          errors={errors.fields}
          onChange={(draft) => change({ ...content, draft })}
        />
        <div className={styles["actions"]}>
          <Button type="submit" look="primary" busy={editor.isSaving} disabled={!isChanged}>
            {editor.nextVersion === base.version ? "Save" : `Save as version ${editor.nextVersion}`}
          </Button>
          {isChanged && (
            <Button look="quiet" onClick={editor.discard}>
              Discard edits
            </Button>
          )}
        </div>
      </form>
      <EditMerge editor={editor} />
      <LeaveGuard isChanged={isChanged} onDiscard={editor.discard} />
    </Card>
  );
}

/** Errors of an edit by field, with the service's error (`error`) that contains them. */
type GraderErrors = FormErrors & { error?: unknown };

function useGraderEditor(grader: Grader) {
  const place = usePlace();
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
      queries.setQueryData(graderQuery(place, stored.id).queryKey, stored);
      for (const operation of ["graders.list", "graders.versions", "graders.agreement"]) void refresh(place, operation);
    },
  });
}
