import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { mockToolsQuery, type ProjectMockTool } from "./queries.ts";

/** Asks before a mock tool is deleted. */
export function DeleteMockTool({ mockTool, onClose }: { mockTool: ProjectMockTool; onClose: () => void }) {
  const place = usePlace();
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => place.client.mockTools.delete({ mockToolId: mockTool.id, projectId: place.projectId }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: mockToolsQuery(place).queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete the mock tool “${mockTool.tool}”?`}
      action="Delete mock tool"
      busy={isPending}
      error={error}
      onClose={onClose}
      onConfirm={mutate}
    >
      New runs call the agent's real tool, unless a test mocks it. Runs that started before keep using the mock tool.
    </ConfirmDialog>
  );
}
