import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../shell/place.ts";
import { classes } from "../ui/classes.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { inputClass, Select } from "../ui/field.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { CapabilityRows } from "./capability-rows.tsx";
import { FormRow, ReadOnly, Remark } from "./form-row.tsx";
import { defined, modelText, personaLines, type SpeechModelName } from "./persona-content.ts";
import styles from "./persona.module.css";
import { capabilitiesQuery, speechModelsQuery } from "./queries.ts";
import type { SpeechRowsProps } from "./speech-rows-props.ts";
import { selectionOf } from "./capability.ts";

export function SpeechRows(props: SpeechRowsProps) {
  const { traits, models, errors, setTraits, setModels } = props;
  const place = usePlace();
  const { data: catalogue } = useQuery(speechModelsQuery(place));
  const selection = selectionOf(traits, models);
  const { data: capabilities, error, refetch } = useQuery(capabilitiesQuery(place, selection));
  const notices = [
    catalogue?.textToSpeech.find(
      ({ provider, model }) => provider === models.tts?.provider && model === models.tts.model,
    ),
    catalogue?.speechToText.find(
      ({ provider, model }) => provider === models.stt?.provider && model === models.stt.model,
    ),
  ]
    .flatMap((model) => model?.notice ?? [])
    // The voices repeat the notice of their model, so it is left out here.
    .filter((notice) => notice !== capabilities?.voices.reason);
  return (
    <>
      <FormRow label="Language model" note="It writes the caller's words">
        {setModels ? (
          <input
            className={classes(inputClass, styles["list"])}
            aria-label="Language model"
            aria-invalid={errors.llm !== undefined || undefined}
            placeholder="The service's default"
            value={models.llm ?? ""}
            onChange={({ target }) => setModels({ llm: target.value || undefined })}
          />
        ) : (
          <ReadOnly text={models.llm ?? "the service's default"} />
        )}
        {errors.llm !== undefined && <Notice kind="failed">{errors.llm}</Notice>}
      </FormRow>
      <FormRow label="Speech models" note="Everything below follows from them">
        <div className={styles["pair"]}>
          <ModelSelect
            label="Speaks with"
            fallback="a built-in voice"
            models={catalogue?.textToSpeech ?? []}
            value={models.tts}
            // A voice belongs to its provider, so another provider's model removes the voice.
            onChange={setModels && ((tts) => setModels({ tts, voiceId: undefined }))}
          />
          <ModelSelect
            label="Hears with"
            fallback="the service's default"
            models={catalogue?.speechToText ?? []}
            value={models.stt}
            onChange={setModels && ((stt) => setModels({ stt }))}
          />
        </div>
        {notices.map((notice) => (
          <Notice key={notice} kind="warning">
            {notice}
          </Notice>
        ))}
      </FormRow>
      {selection === undefined ? (
        <WithoutModels traits={traits} models={models} errors={errors} setTraits={setTraits} />
      ) : capabilities === undefined ? (
        error ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Skeleton rows={5} />
        )
      ) : (
        <CapabilityRows {...props} capabilities={capabilities} />
      )}
    </>
  );
}

/** Without a model there are no choices, and no limits. */
function WithoutModels({
  traits,
  models,
  errors,
  setTraits,
}: Pick<SpeechRowsProps, "traits" | "models" | "errors" | "setTraits">) {
  const FIELDS = [
    {
      trait: "language",
      label: "Language",
      placeholder: "The language of the scenario",
      help: "A BCP 47 tag, such as en or pt-BR.",
    },
    { trait: "emotion", label: "Emotion", placeholder: "neutral", help: "Typed callers show it in their words." },
  ] as const;
  const { accent } = traits;
  const { voiceId, speed, volume } = models;
  const kept = personaLines({
    traits: accent === undefined ? {} : { accent },
    models: defined({ voiceId, speed, volume }),
  });
  return (
    <>
      {FIELDS.map(({ trait, label, placeholder, help }) => (
        <FormRow key={trait} label={label}>
          {setTraits ? (
            <>
              <input
                className={classes(inputClass, styles["list"])}
                aria-label={label}
                aria-invalid={(trait === "language" && errors.language !== undefined) || undefined}
                placeholder={placeholder}
                value={traits[trait] ?? ""}
                onChange={({ target }) => setTraits({ [trait]: target.value || undefined })}
              />
              {trait === "language" && errors.language !== undefined ? (
                <Notice kind="failed">{errors.language}</Notice>
              ) : (
                <Remark>{help}</Remark>
              )}
            </>
          ) : (
            <ReadOnly text={traits[trait] ?? placeholder} />
          )}
        </FormRow>
      ))}
      <FormRow label="Voice">
        {setTraits ? (
          <Remark>
            Choose what the caller speaks with. The voices, accents, speeds and volumes follow from it. Without a choice
            a built-in voice speaks.
          </Remark>
        ) : (
          <ReadOnly text="a built-in voice" />
        )}
        {kept.length > 0 && <Remark>The persona keeps its other values: {kept.join(", ")}.</Remark>}
      </FormRow>
    </>
  );
}

type ListedModel = SpeechModelName & { access?: "ready" | "needs_key" | "not_used" };

const GROUPS = [
  ["ready", "Ready"],
  ["needs_key", "Needs a key of its provider"],
  ["not_used", "Calls cannot use it"],
] as const;

type ModelSelectProps = {
  label: string;
  fallback: string;
  models: readonly ListedModel[];
  value: SpeechModelName | undefined;
  onChange: ((model: SpeechModelName | undefined) => void) | undefined;
};

/** `fallback` names the model that is used without a choice. */
function ModelSelect({ label, fallback, models, value, onChange }: ModelSelectProps) {
  if (onChange === undefined) return <ReadOnly text={`${label} ${value ? modelText(value) : fallback}`} />;
  const isListed = value === undefined || models.some((model) => modelText(model) === modelText(value));
  const listed: readonly ListedModel[] = isListed ? models : [value, ...models];
  const optionOf = (model: ListedModel, group?: string) => ({
    value: modelText(model),
    label: modelText(model),
    group,
  });
  return (
    <Select
      label={label}
      value={value ? modelText(value) : ""}
      options={[
        { value: "", label: `${fallback[0]!.toUpperCase()}${fallback.slice(1)}` },
        ...listed.filter(({ access }) => access === undefined).map((model) => optionOf(model)),
        ...GROUPS.flatMap(([group, name]) =>
          listed.filter(({ access }) => access === group).map((model) => optionOf(model, name)),
        ),
      ]}
      onChange={({ target }) => {
        const model = listed.find((one) => modelText(one) === target.value);
        onChange(model && { provider: model.provider, model: model.model });
      }}
    />
  );
}
