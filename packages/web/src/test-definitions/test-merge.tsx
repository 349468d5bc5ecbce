import { MergeDialog } from "../editing/merge-dialog.tsx";
import type { RefusedEdit, useTestEditor } from "./use-test-editor.ts";

type TestMergeProps = {
  refused: RefusedEdit;
  editor: Pick<ReturnType<typeof useTestEditor>, "keepEditing" | "takeSaved" | "saveMerged">;
};

/** Asks how to merge an edit of a test with the one that somebody saved meanwhile. */
export function TestMerge({ refused, editor }: TestMergeProps) {
  return (
    <MergeDialog
      key={refused.onto.versionId}
      begun={refused.begun}
      saved={refused.onto.version}
      savedAt={refused.savedAt}
      changes={refused.merge.changes}
      conflicts={refused.merge.conflicts}
      onKeepEditing={editor.keepEditing}
      onTakeSaved={() => editor.takeSaved(refused)}
      onSave={(choices) => editor.saveMerged(refused, choices)}
    />
  );
}
