import type { Schedule } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import type { Client } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AgentCard, TestsCard } from "../runs/new-run-cards.tsx";
import { type NewRunSearch, testIdsOf } from "../runs/run-search.ts";
import { useChoices } from "../runs/use-choices.ts";
import { usePlace } from "../shell/place.ts";
import { PersonasField } from "../test-definitions/form/personas-field.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { formErrorsOf, isRefused, NO_ERRORS, useRefusalInView } from "../ui/form.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { previewQuery } from "./queries.ts";
import { Times } from "./times.tsx";
import styles from "./schedules.module.css";

type Content = Omit<Parameters<Client["schedules"]["create"]>[0], "projectId">;

const TYPING_MS = 300;
const FIELDS = ["name", "cron", "timeZone", "iterations", "require", "connectionId", "tags", "personas"];
const OFTEN = [
  { value: "0 6 * * 1-5", label: "Every weekday at 06:00" },
  { value: "0 6 * * *", label: "Every day at 06:00" },
  { value: "0 * * * *", label: "Every hour" },
  { value: "*/15 * * * *", label: "Every 15 minutes" },
  { value: "0 6 * * 1", label: "Every Monday at 06:00" },
];
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

type Draft = { name: string; cron: string; timeZone: string; iterations: string; require: string; tags: string };

const draftOf = (schedule: Schedule | undefined): Draft => ({
  name: schedule?.name ?? "",
  cron: schedule?.cron ?? OFTEN[0]!.value,
  timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  iterations: String(schedule?.iterations ?? 1),
  require: schedule?.require ?? "",
  tags: schedule?.tags.join(", ") ?? "",
});

const searchOf = (schedule: Schedule | undefined, suite: string | undefined): NewRunSearch =>
  schedule === undefined
    ? { suite }
    : {
        agent: schedule.agentId,
        connection: schedule.connectionId,
        suite: schedule.suiteId ?? undefined,
        test: schedule.testIds.length > 0 ? schedule.testIds.join(",") : undefined,
      };

type ScheduleFormProps = {
  /** Undefined for a new schedule. */
  schedule?: Schedule;
  suite?: string | undefined;
  save: (content: Content) => Promise<unknown>;
};

export function ScheduleForm({ schedule, suite, save }: ScheduleFormProps) {
  const place = usePlace();
  const [draft, setDraft] = useState(draftOf(schedule));
  const [search, setSearch] = useState(searchOf(schedule, suite));
  const [overlap, setOverlap] = useState(schedule?.overlap ?? "skip");
  const [personas, setPersonas] = useState(schedule?.personas ?? []);
  const choices = useChoices(search);
  const cron = useDebounced(draft.cron, TYPING_MS);
  const preview = useQuery(previewQuery(place, cron, draft.timeZone));
  const saving = useMutation({
    mutationFn: (name: string) => {
      // The service rejects an empty list for a new schedule.
      const isGiven = schedule !== undefined || personas.length > 0;
      return save({ ...contentOf({ ...draft, name }, choices.chosen), ...(isGiven && { personas }), overlap });
    },
  });
  const set = (part: Partial<Draft>) => {
    saving.reset();
    setDraft({ ...draft, ...part });
  };
  const error = saving.error ?? preview.error;
  const errors = error === null ? NO_ERRORS : formErrorsOf(error, FIELDS);
  const content = useRefusalInView<HTMLFormElement>(saving.isPending, saving.isError && isRefused(errors));
  if (choices.isLoading) return <Skeleton rows={8} />;
  if (choices.error) return <Failure error={choices.error} again={choices.refetch} />;
  const { agent, connection, suite: suiteId } = choices.chosen;
  const played = choices.suites?.find(({ id }) => id === suiteId)?.name ?? "Tests";
  const proposal = preview.data === undefined ? "" : `${played}: ${preview.data.words}`.slice(0, LIMITS.nameCharacters);
  const name = draft.name.trim() || proposal;
  const isComplete = name !== "" && agent !== undefined && connection !== undefined;
  return (
    <form
      ref={content}
      className={styles["columns"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) saving.mutate(name);
      }}
    >
      <div className={styles["stack"]}>
        <Card title="When">
          <div className={styles["stack"]}>
            <TextField
              label="Name"
              placeholder={proposal}
              value={draft.name}
              error={errors.fields["name"]}
              maxLength={LIMITS.nameCharacters}
              onChange={({ target }) => set({ name: target.value })}
            />
            <div className={styles["fields"]}>
              <Select
                label="How often"
                options={[
                  ...(OFTEN.some(({ value }) => value === draft.cron)
                    ? []
                    : [{ value: draft.cron, label: "As written" }]),
                  ...OFTEN,
                ]}
                value={draft.cron}
                onChange={({ target }) => set({ cron: target.value })}
              />
              <TextField
                label="Cron expression"
                help={preview.data?.words ?? "Minute, hour, day of the month, month, day of the week."}
                spellCheck={false}
                value={draft.cron}
                error={errors.fields["cron"]}
                onChange={({ target }) => set({ cron: target.value })}
              />
              <Select
                label="Time zone"
                error={errors.fields["timeZone"]}
                options={(ZONES.includes(draft.timeZone) ? ZONES : [draft.timeZone, ...ZONES]).map((zone) => ({
                  value: zone,
                  label: zone,
                }))}
                value={draft.timeZone}
                onChange={({ target }) => set({ timeZone: target.value })}
              />
              <Select
                label="While the run before is still going"
                options={[
                  { value: "skip", label: "Skip the run" },
                  { value: "queue", label: "Wait for its end" },
                ]}
                value={overlap}
                onChange={({ target }) => setOverlap(target.value as typeof overlap)}
              />
            </div>
          </div>
        </Card>
        <TestsCard search={choices.chosen} choices={choices} onChange={(part) => setSearch({ ...search, ...part })}>
          <PersonasField
            personas={personas}
            error={errors.fields["personas"]}
            onChange={(chosen) => {
              saving.reset();
              setPersonas(chosen);
            }}
            none="The personas of each test call."
          />
        </TestsCard>
        <AgentCard
          search={choices.chosen}
          choices={choices}
          error={errors.fields["connectionId"]}
          onChange={(part) => setSearch({ ...search, ...part })}
        />
        <Card title="How">
          <div className={styles["fields"]}>
            <TextField
              label="Iterations"
              help="Times that each test is played with each persona."
              type="number"
              min={1}
              max={LIMITS.runIterations}
              value={draft.iterations}
              error={errors.fields["iterations"]}
              onChange={({ target }) => set({ iterations: target.value })}
            />
            <TextField
              label="Required share of iterations"
              help="A test passes when this share of its iterations passes, such as 4/5 or 80%."
              placeholder="all"
              value={draft.require}
              error={errors.fields["require"]}
              onChange={({ target }) => set({ require: target.value })}
            />
            {choices.chosen.test === undefined && (
              <TextField
                label="Only tests with a tag"
                help="Tags of the suite’s tests, separated by commas."
                placeholder="all tests"
                value={draft.tags}
                error={errors.fields["tags"]}
                onChange={({ target }) => set({ tags: target.value })}
              />
            )}
          </div>
        </Card>
      </div>
      <div className={styles["aside"]}>
        <Card title="Next times">
          {preview.data === undefined || preview.isError ? (
            <p>{errors.fields["cron"] ?? "Write an expression, and its next times are here."}</p>
          ) : (
            <Times words={preview.data.words} nextTimes={preview.data.nextTimes} timeZone={draft.timeZone} />
          )}
        </Card>
        {errors.form !== undefined && <Failure error={error} />}
        <Button type="submit" look="primary" busy={saving.isPending} disabled={!isComplete}>
          {schedule === undefined ? "Create schedule" : "Save schedule"}
        </Button>
      </div>
    </form>
  );
}

function contentOf(draft: Draft, chosen: NewRunSearch): Content {
  const tags = draft.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  const isTests = chosen.test !== undefined;
  return {
    name: draft.name,
    cron: draft.cron,
    timeZone: draft.timeZone,
    agentId: chosen.agent!,
    connectionId: chosen.connection!,
    ...(isTests ? { testIds: testIdsOf(chosen) } : { suiteId: chosen.suite, ...(tags.length > 0 && { tags }) }),
    iterations: Math.trunc(Number(draft.iterations)) || 1,
    ...(draft.require.trim() !== "" && { require: draft.require.trim() }),
  };
}
