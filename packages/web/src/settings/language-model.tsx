import { type Answer, LIMITS, type Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, useRefusalInView, isRefused, valuesOf } from "../ui/form.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useToast } from "../ui/toast.tsx";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import { languageModelQuery, serviceQuery } from "./queries.ts";
import styles from "./settings.module.css";

type Model = NonNullable<Answer<Operations["languageModel"]["get"]>["languageModel"]>;

const PRICES = ["prices.input", "prices.output"];
const FIELDS = ["baseUrl", "model", "apiKey", ...PRICES];

export const LanguageModelPage = () => (
  <SettingsPage title="Language model">
    <AdminsOnly what="the language model">
      <p className={styles["lede"]}>
        The language model plays callers, judges the behaviors that code cannot decide, and drafts tests. Without one,
        callers follow the lines of a test, and code decides what it can.
      </p>
      <Loaded />
    </AdminsOnly>
  </SettingsPage>
);

function Loaded() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(languageModelQuery(organizationId));
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={6} />;
  const { languageModel: model } = data;
  return (
    <div className={styles["parts"]}>
      {model?.source === "settings" ? (
        <Configured model={model} />
      ) : (
        <ModelForm key={model?.updatedAt ?? ""} model={model} />
      )}
      {model !== null && <ModelCheck />}
    </div>
  );
}

const Configured = ({ model: { model, prices } }: { model: Model }) => (
  <Section
    title="Model of the service"
    note="SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL in the settings of the service name it, for all organizations."
  >
    <KeyValues
      items={[
        ["Model", model],
        [
          "Prices",
          prices === null
            ? "Unknown, so runs have no cost"
            : `${prices.input} input, ${prices.output} output for a million tokens`,
        ],
      ]}
    />
  </Section>
);

function ModelForm({ model }: { model: Model | null }) {
  const { client, organizationId } = useOrganization();
  const show = useToast();
  const [removes, setRemoves] = useState(false);
  const refresh = () =>
    Promise.all(
      [languageModelQuery(organizationId), serviceQuery(organizationId)].map(({ queryKey }) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const save = useMutation({
    mutationFn: (values: Record<string, string>) =>
      client.languageModel.set({
        baseUrl: values["baseUrl"]?.trim() ?? "",
        model: values["model"] ?? "",
        ...(values["apiKey"] && { apiKey: values["apiKey"] }),
        ...pricesOf(values),
      }),
    onSuccess: async () => {
      await refresh();
      show("The language model is saved.");
    },
  });
  const errors = save.error ? formErrorsOf(save.error, FIELDS) : NO_ERRORS;
  const content = useRefusalInView<HTMLFormElement>(save.isPending, isRefused(errors));
  return (
    <Section title="Model">
      <form
        ref={content}
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate(valuesOf(event.currentTarget));
        }}
      >
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        <TextField
          label="Address"
          name="baseUrl"
          placeholder="https://api.openai.com/v1"
          autoComplete="off"
          spellCheck={false}
          defaultValue={model?.baseUrl ?? undefined}
          maxLength={LIMITS.languageModelUrlCharacters}
          help="An endpoint of the OpenAI chat API, of a provider or of a server of your own."
          error={errors.fields["baseUrl"]}
        />
        <TextField
          label="Model"
          name="model"
          placeholder="gpt-5-mini"
          autoComplete="off"
          spellCheck={false}
          defaultValue={model?.model}
          maxLength={LIMITS.languageModelNameCharacters}
          error={errors.fields["model"]}
        />
        <TextField
          label="Key"
          name="apiKey"
          type="password"
          autoComplete="off"
          maxLength={LIMITS.providerKeyCharactersMax}
          help={
            model
              ? `The service keeps the present one (…${model.hint}). Enter another to replace it.`
              : "The service seals it and never shows it again. For a server without keys, enter any word."
          }
          error={errors.fields["apiKey"]}
        />
        <div className={styles["pair"]}>
          <TextField
            label="Price of input"
            name="prices.input"
            inputMode="decimal"
            autoComplete="off"
            placeholder="unknown"
            defaultValue={model?.prices?.input}
            error={errors.fields["prices.input"]}
          />
          <TextField
            label="Price of output"
            name="prices.output"
            inputMode="decimal"
            autoComplete="off"
            placeholder="unknown"
            defaultValue={model?.prices?.output}
            error={errors.fields["prices.output"]}
          />
        </div>
        <p className={styles["muted"]}>
          Prices of a million tokens, in any currency. With them, runs show what the judge costs and can limit it.
        </p>
        <div className={styles["buttons"]}>
          <Button type="submit" look="primary" busy={save.isPending}>
            Save
          </Button>
          {model && (
            <Button look="danger" onClick={() => setRemoves(true)}>
              Remove
            </Button>
          )}
        </div>
      </form>
      {removes && (
        <ConfirmDialog
          title="Remove the language model"
          action="Remove it"
          act={async () => {
            await client.languageModel.delete();
            await refresh();
          }}
          onClose={() => setRemoves(false)}
        >
          <p>
            The service deletes its key. Behaviors that no code decides are then not graded, and callers follow the
            lines of a test.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** The service refuses a price that is no number, and names its field. */
function pricesOf(values: Record<string, string>) {
  const [input = "", output = ""] = PRICES.map((name) => values[name]?.trim().replace(",", "."));
  return input === "" && output === "" ? {} : { prices: { input: numberOf(input), output: numberOf(output) } };
}

const numberOf = (text: string): number => (text === "" ? Number.NaN : Number(text));

function ModelCheck() {
  const { client } = useOrganization();
  const ask = useMutation({
    mutationFn: async () => (await client.service.check()).checks.find(({ name }) => name === "language model"),
  });
  const check = ask.data;
  return (
    <Section
      title="Test"
      note="The service sends it one short request."
      action={
        <Button small busy={ask.isPending} onClick={() => ask.mutate()}>
          Test the model
        </Button>
      }
    >
      {ask.error && <Failure error={ask.error} />}
      {check && (
        <Notice kind={check.state === "wrong" ? "failed" : "info"}>
          {check.finding}
          {check.remedy === null ? "." : `. ${check.remedy}`}
        </Notice>
      )}
      {check === undefined && !ask.error && <p className={styles["muted"]}>Not tested since this page was opened.</p>}
    </Section>
  );
}
