import type { AlertRuleContent } from "@svc/contract";
import {
  ALERT_WINDOWS_MINUTES,
  CHANNELS,
  CONFIDENCES,
  type DestinationKind,
  LIMITS,
  MEASURES,
  NO_DATA_MEANINGS,
  type NoData,
  REPORTED_ENDING_CHARACTERS,
  SEVERITIES,
  USUAL_MEANINGS,
} from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentVersionsQuery } from "../agent-versions.ts";
import { CHANNEL_OPTIONS } from "../channel-words.ts";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { Combobox } from "../ui/combobox.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import type { FormErrors } from "../ui/form.ts";
import { Segmented } from "../ui/segmented.tsx";
import { windowWords } from "./alert-words.ts";
import styles from "./alerts.module.css";
import {
  contentOf,
  type Draft,
  isComparable,
  isMeasure,
  limitUnit,
  WATCHED,
  type Watched,
  withComparedWith,
  withWatched,
} from "./draft.ts";
import { Preview } from "./preview.tsx";
import { NewDestination, Told } from "./told.tsx";
import { graderNamesQuery, talkingAgentsQuery } from "./queries.ts";

const NO_DATA_LABELS: Record<NoData, string> = {
  keep: "It changes nothing",
  ok: "It is good",
  alert: "It is bad",
};

const COMPARED_WITH: { value: Draft["comparedWith"]; label: string }[] = [
  { value: "fixed", label: "A number" },
  { value: "windows_before", label: "Usual before" },
  { value: "same_hours", label: "Usual at this time" },
];

const REMINDERS = [
  { value: "", label: "Never" },
  ...[60, 240, 1_440].map((minutes) => ({ value: String(minutes), label: `After ${windowWords(minutes)}` })),
];

type RuleFormProps = {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  errors: FormErrors;
  error: Error | null;
};

export function RuleForm({ draft, onChange, onSubmit, errors: refused, error }: RuleFormProps) {
  const { content, errors } = contentOf(draft);
  const { data: graders = [] } = useQuery({
    ...graderNamesQuery(usePlace()),
    enabled: draft.watched === "grader_failures",
  });
  const [newKind, setNewKind] = useState<DestinationKind>();
  const change = (changed: Partial<Draft>) => onChange({ ...draft, ...changed });
  const { data: agents = [] } = useQuery(talkingAgentsQuery(usePlace(), draft.source));
  const { data: versions } = useQuery(agentVersionsQuery(usePlace(), undefined));
  const versionNames = [
    ...new Set([
      ...draft.agentVersions,
      ...(versions?.agentVersions ?? [])
        .filter(({ agentName }) => draft.agents.length === 0 || draft.agents.includes(agentName))
        .map(({ version }) => version),
    ]),
  ];
  const measure = isMeasure(draft.watched)
    ? MEASURES[draft.watched.slice("measure:".length) as keyof typeof MEASURES]
    : undefined;
  const unit = limitUnit(draft.watched).name;
  const isNumber = draft.watched === "conversations";
  return (
    <div className={styles["editor"]}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {refused.form !== undefined && <Failure error={error} />}
        <Card title="What is bad">
          <div className={styles["fields"]}>
            <Select
              label="Watch"
              options={WATCHED}
              value={draft.watched}
              help={measure?.meaning}
              onChange={({ target }) => onChange(withWatched(draft, target.value as Watched))}
            />
            {isMeasure(draft.watched) && (
              <Segmented
                label="Statistic"
                value={draft.statistic}
                options={[
                  { value: "p50", label: "Median" },
                  { value: "p90", label: "p90" },
                  { value: "p95", label: "p95" },
                  { value: "mean", label: "Mean" },
                ]}
                onChange={(statistic) => change({ statistic })}
              />
            )}
            {draft.watched === "tool_errors" && (
              <TextField
                label="Tool"
                help="Empty: all tools together."
                maxLength={LIMITS.nameCharacters}
                value={draft.tool}
                onChange={({ target }) => change({ tool: target.value })}
              />
            )}
            {draft.watched === "endings" && (
              <TextField
                label="Ending"
                help="As the platform names it. A conversation without one does not count."
                required
                maxLength={REPORTED_ENDING_CHARACTERS}
                error={errors.ending}
                value={draft.ending}
                onChange={({ target }) => change({ ending: target.value })}
              />
            )}
            {draft.watched === "grader_failures" && (
              <Select
                label="Grader"
                help="A conversation counts at the time of its grade."
                options={[
                  { value: "", label: "Every grader that counts" },
                  ...[...new Set([...graders, draft.grader])]
                    .filter((name) => name !== "")
                    .map((name) => ({ value: name, label: name })),
                ]}
                value={draft.grader}
                onChange={({ target }) => change({ grader: target.value })}
              />
            )}
            <div className={styles["limit"]}>
              <div className={styles["labelled"]}>
                <span aria-hidden>Bad when it is</span>
                <Segmented
                  label="Bad when it is"
                  value={draft.is}
                  options={[
                    { value: "above", label: "Above" },
                    { value: "below", label: "Below" },
                  ]}
                  onChange={(is) => change({ is })}
                />
              </div>
              <Select
                label="Than"
                options={COMPARED_WITH}
                value={draft.comparedWith}
                help={draft.comparedWith === "fixed" ? undefined : USUAL_MEANINGS[draft.comparedWith]}
                onChange={({ target }) => onChange(withComparedWith(draft, target.value as Draft["comparedWith"]))}
              />
              {draft.comparedWith === "fixed" ? (
                <TextField
                  label={unit === "" ? "Limit" : `Limit in ${unit}`}
                  inputMode="decimal"
                  autoComplete="off"
                  value={draft.limit}
                  error={errors.limit}
                  onChange={({ target }) => change({ limit: target.value })}
                />
              ) : (
                <Select
                  label="Confidence"
                  options={CONFIDENCES.map((confidence) => ({
                    value: String(confidence),
                    label: `${Number((confidence * 100).toPrecision(4))} %`,
                  }))}
                  value={String(draft.confidence)}
                  onChange={({ target }) => change({ confidence: Number(target.value) as Draft["confidence"] })}
                />
              )}
            </div>
            <Select
              label="In a window of"
              options={ALERT_WINDOWS_MINUTES.filter((minutes) => isComparable(draft.comparedWith, minutes)).map(
                (minutes) => ({ value: String(minutes), label: windowWords(minutes) }),
              )}
              value={String(draft.windowMinutes)}
              onChange={({ target }) =>
                change({ windowMinutes: Number(target.value) as AlertRuleContent["windowMinutes"] })
              }
            />
            <Combobox
              label="Agents"
              multiple
              placeholder="Every agent"
              help="Each agent is judged apart and has its own alert."
              error={refused.fields["agents"]}
              options={agents.map((name) => ({ value: name, label: name }))}
              values={draft.agents}
              onChange={(chosen) => change({ agents: chosen })}
            />
            <Combobox
              label="Versions"
              multiple
              placeholder="Every version"
              help="Only conversations of these versions of the agents count."
              error={refused.fields["agentVersions"]}
              options={versionNames.map((name) => ({ value: name, label: name }))}
              values={draft.agentVersions}
              onChange={(chosen) => change({ agentVersions: chosen })}
            />
            <Combobox
              label="Channels"
              multiple
              placeholder="Every channel"
              help="Only conversations over these channels count, not those whose channel is unknown."
              error={refused.fields["channels"]}
              options={CHANNEL_OPTIONS}
              values={draft.channels}
              onChange={(chosen) => change({ channels: CHANNELS.filter((channel) => chosen.includes(channel)) })}
            />
          </div>
        </Card>
        <Card title="How it tells">
          <div className={styles["fields"]}>
            <TextField
              label="Name"
              maxLength={LIMITS.nameCharacters}
              autoComplete="off"
              placeholder={contentOf({ ...draft, name: "" }).content?.name}
              help={draft.name.trim() === "" ? "Empty: it is named by what it watches." : undefined}
              value={draft.name}
              error={refused.fields["name"]}
              onChange={({ target }) => change({ name: target.value })}
            />
            <div className={styles["labelled"]}>
              <span aria-hidden>Severity</span>
              <Segmented
                label="Severity"
                value={draft.severity}
                options={SEVERITIES.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))}
                onChange={(severity) => change({ severity })}
              />
            </div>
            <Told
              chosen={draft.destinationIds}
              onChange={(destinationIds) => change({ destinationIds })}
              onNew={setNewKind}
            />
            <Select
              label="Tell again"
              help="While it is bad and nobody has acknowledged it."
              options={REMINDERS}
              value={String(draft.remindAfterMinutes ?? "")}
              onChange={({ target }) =>
                change({ remindAfterMinutes: target.value === "" ? null : Number(target.value) })
              }
            />
            <details className={styles["details"]}>
              <summary>Few samples, rows of windows, source</summary>
              <div className={styles["fields"]}>
                <TextField
                  label="Bad windows in a row that raise an alert"
                  help="As many good ones clear it."
                  inputMode="numeric"
                  value={draft.windowsInRow}
                  error={errors.windowsInRow}
                  onChange={({ target }) => change({ windowsInRow: target.value })}
                />
                {!isNumber && (
                  <>
                    <TextField
                      label="Samples that a window needs"
                      help="A window with fewer raises nothing and clears nothing."
                      inputMode="numeric"
                      value={draft.minSamples}
                      error={errors.minSamples}
                      onChange={({ target }) => change({ minSamples: target.value })}
                    />
                    <Select
                      label="A window without any sample"
                      options={(Object.keys(NO_DATA_MEANINGS) as NoData[]).map((value) => ({
                        value,
                        label: NO_DATA_LABELS[value],
                      }))}
                      value={draft.noData}
                      onChange={({ target }) => change({ noData: target.value as NoData })}
                    />
                  </>
                )}
                <Segmented
                  label="Source"
                  value={draft.source}
                  options={[
                    { value: "production", label: "Production" },
                    { value: "simulation", label: "Simulations" },
                  ]}
                  onChange={(source) => change({ source })}
                />
              </div>
            </details>
          </div>
        </Card>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      {newKind !== undefined && (
        <NewDestination
          kind={newKind}
          onCreated={(id) => change({ destinationIds: [...draft.destinationIds, id] })}
          onClose={() => setNewKind(undefined)}
        />
      )}
      <section className={styles["aside"]} aria-label="Preview">
        <Preview content={content} />
      </section>
    </div>
  );
}
