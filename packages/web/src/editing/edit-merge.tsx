import { lazy, Suspense } from "react";
import type { VersionedEditor } from "./use-versioned-editor.ts";

const MergeDialog = lazy(() =>
  import("./merge-dialog.tsx").then(({ MergeDialog: component }) => ({ default: component })),
);

type EditMergeProps = {
  editor: Pick<VersionedEditor<unknown, unknown>, "refused" | "keepEditing" | "takeSaved" | "saveMerged">;
};

export function EditMerge({ editor: { refused, keepEditing, takeSaved, saveMerged } }: EditMergeProps) {
  if (refused === undefined) return null;
  return (
    <Suspense>
      <MergeDialog
        key={refused.onto.versionId}
        refused={refused}
        onKeepEditing={keepEditing}
        onTakeSaved={() => void takeSaved()}
        onSave={saveMerged}
      />
    </Suspense>
  );
}
