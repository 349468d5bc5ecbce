import { KEY_PROVIDERS, type KeyProvider } from "@svc/contract/constants";
import { type Answer, LIMITS, type Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import { providerKeysQuery, speechModelsQuery } from "./queries.ts";
import styles from "./settings.module.css";

const NAMES: Record<KeyProvider, string> = {
  openai: "OpenAI",
  cartesia: "Cartesia",
  elevenlabs: "ElevenLabs",
  deepgram: "Deepgram",
  minimax: "MiniMax",
  inworld: "Inworld",
  hume: "Hume",
  lmnt: "LMNT",
  azure: "Azure",
  google: "Google",
  polly: "Amazon Polly",
};

export const PROVIDERS = (Object.keys(KEY_PROVIDERS) as KeyProvider[])
  .map((provider) => ({ provider, name: NAMES[provider], ...KEY_PROVIDERS[provider] }))
  .toSorted((a, b) => a.name.localeCompare(b.name));

/** With a provider's key, personas can use the voices of the provider's account. */
export const ProviderKeys = () => (
  <SettingsPage title="Provider keys">
    <AdminsOnly what="the provider keys">
      <p className={styles["lede"]}>
        With a provider’s key, personas have the voices of your account, and calls use the provider’s speech. The
        service seals the key and never shows it again.
      </p>
      <ProviderKeyTable />
    </AdminsOnly>
  </SettingsPage>
);

type Action = { kind: "set" | "delete"; provider: Provider };

function ProviderKeyTable() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(providerKeysQuery(organizationId));
  const { data: models } = useQuery(speechModelsQuery(organizationId));
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const keyOf = (provider: string) => data.providerKeys.find((key) => key.provider === provider);
  return (
    <>
      <Table
        label="Provider keys"
        columns={[
          { head: "Provider" },
          { head: "Used for", wideOnly: true },
          { head: "Ends in" },
          { head: "Region", wideOnly: true },
          { head: "Set", numeric: true, wideOnly: true },
          { head: "" },
        ]}
      >
        {PROVIDERS.map((provider) => {
          const key = keyOf(provider.provider);
          return (
            <tr key={provider.provider}>
              <td className={styles["name"]}>{provider.name}</td>
              <td className={classes(tables["wideOnly"], styles["muted"])}>{useOf(models, provider.provider)}</td>
              <td className={styles["muted"]}>{key ? <code>…{key.hint}</code> : "No key"}</td>
              <td className={classes(tables["wideOnly"], styles["muted"])}>{key?.region}</td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                {key && <Time at={key.updatedAt} />}
              </td>
              <td>
                <div className={styles["actions"]}>
                  {key && (
                    <Button small look="danger" onClick={() => setAction({ kind: "delete", provider })}>
                      Delete
                    </Button>
                  )}
                  <Button small onClick={() => setAction({ kind: "set", provider })}>
                    {key ? "Replace" : "Set key"}
                  </Button>
                </div>
              </td>
            </tr>
          );
        })}
      </Table>
      {action?.kind === "set" && (
        <ProviderKeyForm
          provider={action.provider}
          region={keyOf(action.provider.provider)?.region ?? undefined}
          onClose={close}
        />
      )}
      {action?.kind === "delete" && <DeleteProviderKey provider={action.provider} onClose={close} />}
    </>
  );
}

type SpeechModels = Answer<Operations["capabilities"]["models"]>;

function useOf(models: SpeechModels | undefined, provider: string): string {
  if (models === undefined) return "";
  const inCalls = (listed: SpeechModels["textToSpeech"]) =>
    listed.some((model) => model.provider === provider && model.access !== "not_used");
  const uses = [
    ...(inCalls(models.textToSpeech) ? ["speaks"] : []),
    ...(inCalls(models.speechToText) ? ["hears"] : []),
  ];
  return uses.length === 0 ? "Lists voices. Calls cannot use them yet" : `${sentence(uses.join(" and "))} in calls`;
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const refresh = (organizationId: string) =>
  Promise.all(
    [providerKeysQuery(organizationId), speechModelsQuery(organizationId)].map(({ queryKey }) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );

type ProviderKeyFormProps = { provider: Provider; region: string | undefined; onClose: () => void };

function ProviderKeyForm({ provider: { provider, name, form, regional }, region, onClose }: ProviderKeyFormProps) {
  const { client, organizationId } = useOrganization();
  const set = useMutation({
    mutationFn: (values: { apiKey: string; region: string }) =>
      client.providerKeys.set({
        provider,
        apiKey: values.apiKey,
        ...(regional && values.region !== "" && { region: values.region }),
      }),
    onSuccess: async () => {
      await refresh(organizationId);
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

function DeleteProviderKey({ provider: { provider, name }, onClose }: { provider: Provider; onClose: () => void }) {
  const { client, organizationId } = useOrganization();
  return (
    <ConfirmDialog
      title={`Delete the key of ${name}`}
      action="Delete key"
      act={async () => {
        await client.providerKeys.delete({ provider });
        await refresh(organizationId);
      }}
      onClose={onClose}
    >
      <p>The voices that this key listed are deleted too. Personas keep the voice that they name.</p>
    </ConfirmDialog>
  );
}

type Provider = (typeof PROVIDERS)[number];
