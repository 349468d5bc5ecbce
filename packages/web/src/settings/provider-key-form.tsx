import { LIMITS } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import type { Provider } from "./provider-names.ts";
import { providerKeysQuery } from "./queries.ts";

type ProviderKeyFormProps = { provider: Provider; region: string | undefined; onClose: () => void };

/** Stores a provider's key, or replaces it. */
export function ProviderKeyForm({
  provider: { provider, name, form, regional },
  region,
  onClose,
}: ProviderKeyFormProps) {
  const { client, organizationId } = useOrganization();
  const set = useMutation({
    mutationFn: (values: { apiKey: string; region: string }) =>
      client.providerKeys.set({
        provider,
        apiKey: values.apiKey,
        ...(regional && values.region !== "" && { region: values.region }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: providerKeysQuery(organizationId).queryKey });
      onClose();
    },
  });
  const errors = set.error ? formErrorsOf(set.error, ["apiKey", "region"]) : NO_ERRORS;
  return (
    <FormDialog
      title={`Key of ${name}`}
      lede={`The service expects ${form}. It tests the key when it first lists voices.`}
      submit="Save key"
      errors={errors}
      busy={set.isPending}
      onSubmit={({ apiKey = "", region: typed = "" }) => set.mutate({ apiKey, region: typed.trim() })}
      onClose={onClose}
    >
      <TextField
        label="Key"
        name="apiKey"
        type="password"
        autoComplete="off"
        autoFocus
        maxLength={LIMITS.providerKeyCharactersMax}
        error={errors.fields["apiKey"]}
      />
      {regional && (
        <TextField
          label="Region"
          name="region"
          autoComplete="off"
          spellCheck={false}
          defaultValue={region}
          placeholder="westeurope"
          error={errors.fields["region"]}
        />
      )}
    </FormDialog>
  );
}
