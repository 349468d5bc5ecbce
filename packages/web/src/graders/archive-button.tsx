import type { Grader } from "@svc/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore } from "lucide-react";
import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { graderQuery } from "./queries.ts";

/** Archives a live grader, or restores an archived one. */
export function ArchiveButton({ grader }: { grader: Grader }) {
  const place = usePlace();
  const cache = useQueryClient();
  const [asks, setAsks] = useState(false);
  const change = useMutation({
    mutationFn: () => {
      const input = { graderId: grader.id, projectId: place.projectId };
      return grader.archived ? place.client.graders.restore(input) : place.client.graders.archive(input);
    },
    onSuccess: async ({ grader: changed }) => {
      cache.setQueryData(graderQuery(place, grader.id).queryKey, changed);
      setAsks(false);
      await cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, "graders.list"] });
    },
  });
  const Icon = grader.archived ? ArchiveRestore : Archive;
  return (
    <>
      <Button onClick={() => setAsks(true)}>
        <Icon size={16} aria-hidden />
        {grader.archived ? "Restore" : "Archive"}
      </Button>
      {asks && (
        <ConfirmDialog
          title={grader.archived ? "Restore the grader?" : "Archive the grader?"}
          action={grader.archived ? "Restore the grader" : "Archive the grader"}
          busy={change.isPending}
          error={change.error}
          onClose={() => {
            setAsks(false);
            change.reset();
          }}
          onConfirm={() => change.mutate()}
        >
          <p>
            {grader.archived
              ? "Later runs use it again, with its present settings."
              : "Later runs do not use it. Its grades stay, and it can be restored."}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
