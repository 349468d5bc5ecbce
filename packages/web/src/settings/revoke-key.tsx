import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { useToast } from "../ui/toast.tsx";
import { type ApiKey, keyName } from "./key-reach.ts";
import { keysQuery } from "./queries.ts";

/** Revokes a key after the person has typed its name. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { client, organizationId } = useOrganization();
  const show = useToast();
  const name = keyName(apiKey);
  const revoke = useMutation({
    mutationFn: () => client.keys.revoke({ apiKeyId: apiKey.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keysQuery(organizationId).queryKey });
      show(`The key “${name}” is revoked.`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke “${name}”`}
      action="Revoke key"
      name={name}
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      <p>The key stops working with its next request. Nothing brings it back.</p>
    </ConfirmDialog>
  );
}
