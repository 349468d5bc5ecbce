import type { Grader } from "@svc/contract";
import { EditMerge } from "../editing/edit-merge.tsx";
import { LeaveGuard } from "../editing/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { DefinitionFields } from "./definition-fields.tsx";
import styles from "./graders.module.css";
import { useGraderEditor } from "./use-grader-editor.ts";

/** Edits an own grader. A changed definition becomes the next version; runs keep the version with which they started. */
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
