import type { Grader } from "@svc/contract";
import { SvcError } from "@svc/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { LeaveGuard } from "../editing/leave-guard.tsx";
import { useDraft } from "../editing/use-draft.ts";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { Notice } from "../ui/notice.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { DEFINITION_FIELDS, DefinitionFields } from "./definition-fields.tsx";
import { type DefinitionDraft, definitionOf, draftOf } from "./definition.ts";
import styles from "./graders.module.css";
import { graderQuery } from "./queries.ts";

type Content = { name: string; draft: DefinitionDraft };

const contentOf = ({ name, definition }: Grader): Content => ({ name, draft: draftOf(definition) });

/** Edits an own grader. A changed definition becomes the next version; runs keep the version with which they started. */
export function DefinitionEditor({ grader }: { grader: Grader }) {
  const place = usePlace();
  const cache = useQueryClient();
  const stored = { versionId: grader.versionId, version: grader.version, content: contentOf(grader) };
  const { base, content, change, discard, isStale } = useDraft(`grader.${grader.id}`, stored);
  const isChanged = JSON.stringify(content) !== JSON.stringify(base.content);
  const save = useMutation({
    mutationFn: () =>
      place.client.graders.edit({
        graderId: grader.id,
        projectId: place.projectId,
        expectedVersionId: base.versionId,
        name: content.name.trim(),
        definition: definitionOf(content.draft),
      }),
    onSuccess: async ({ grader: saved }) => {
      cache.setQueryData(graderQuery(place, grader.id).queryKey, saved);
      discard();
      await Promise.all(
        ["graders.list", "graders.versions", "graders.agreement"].map((operation) =>
          cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, operation] }),
        ),
      );
    },
    onError: (error) => {
      if (error instanceof SvcError && error.code === "version_conflict")
        void cache.invalidateQueries({ queryKey: graderQuery(place, grader.id).queryKey });
    },
  });
  const canSave = isChanged && !save.isPending;
  useKeys({ "mod+s": () => canSave && save.mutate() });
  const errors = save.error === null ? NO_ERRORS : formErrorsOf(save.error, DEFINITION_FIELDS);
  const isNewVersion = JSON.stringify(content.draft) !== JSON.stringify(base.content.draft);
  return (
    <Card title="What it decides" note={`version ${base.version}`}>
      <form
        className={styles["fields"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) save.mutate();
        }}
      >
        {errors.form !== undefined && <Failure error={save.error} />}
        {isStale && isChanged && (
          <Notice
            kind="warning"
            action={
              <Button
                small
                onClick={() => {
                  discard();
                  save.reset();
                }}
              >
                Take version {grader.version}
              </Button>
            }
          >
            Somebody saved version {grader.version} while you were editing version {base.version}. Your edit is still
            here.
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
          <Button type="submit" look="primary" busy={save.isPending} disabled={!canSave}>
            {isNewVersion ? `Save as version ${grader.version + 1}` : "Save"}
          </Button>
          {isChanged && (
            <Button look="quiet" onClick={discard}>
              Discard edits
            </Button>
          )}
        </div>
      </form>
      <LeaveGuard isChanged={isChanged} onDiscard={discard} />
    </Card>
  );
}
