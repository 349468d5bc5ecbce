import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Provider } from "./provider-names.ts";
import { providerKeysQuery } from "./queries.ts";

/** Deletes a provider's key after a confirmation. */
export function DeleteProviderKey({
  provider: { provider, name },
  onClose,
}: {
  provider: Provider;
  onClose: () => void;
}) {
  const { client, organizationId } = useOrganization();
  const remove = useMutation({
    mutationFn: () => client.providerKeys.delete({ provider }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: providerKeysQuery(organizationId).queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete the key of ${name}`}
      action="Delete key"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>The voices that this key listed are deleted too. Personas keep the voice that they name.</p>
    </ConfirmDialog>
  );
}
