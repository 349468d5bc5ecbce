import type { ReviewQueue } from "@svc/contract";
import { REVIEW_REASON_NAMES, REVIEW_REASONS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Checkbox, RadioGroup } from "../ui/check.tsx";
import { Combobox } from "../ui/combobox.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPercent } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { graderChoices, useConfigure } from "./queries.ts";
import styles from "./review.module.css";

const SCOPES = [
  { value: "both", label: "Production and simulations" },
  { value: "production", label: "Production" },
  { value: "simulations", label: "Simulations" },
] as const;

export function QueueSettings({ queue }: { queue: ReviewQueue }) {
  const { canWrite } = usePlace();
  return canWrite ? <SettingsForm queue={queue} /> : <SettingsFacts queue={queue} />;
}

const inPercent = (share: number): string => String(Number((share * 100).toFixed(4)));

function shareOf(percent: string): number | undefined {
  const number = Number(percent);
  return percent.trim() === "" || !(number >= 0 && number <= 100) ? undefined : number / 100;
}

const WRONG = "Write a number from 0 to 100.";

function SettingsForm({ queue }: { queue: ReviewQueue }) {
  const place = usePlace();
  const toast = useToast();
  const configure = useConfigure();
  const { data: graders = [] } = useQuery(graderChoices(place));
  const [draft, setDraft] = useState({
    enabled: queue.enabled,
    sources: queue.sources,
    scope: queue.scope,
    graderIds: queue.graderIds,
    randomShare: inPercent(queue.randomShare),
    confidenceBelow: inPercent(queue.confidenceBelow),
    secondPersonShare: inPercent(queue.secondPersonShare),
  });
  const change = (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed });
  const shares = {
    randomShare: shareOf(draft.randomShare),
    confidenceBelow: shareOf(draft.confidenceBelow),
    secondPersonShare: shareOf(draft.secondPersonShare),
  };
  const { enabled, sources, scope, graderIds } = draft;
  const refused = configure.error === null ? NO_ERRORS : formErrorsOf(configure.error, []);
  const errorOf = (name: keyof typeof shares) => (shares[name] === undefined ? WRONG : undefined);
  const isWhole = Object.values(shares).every((share) => share !== undefined);
  const save = () => {
    if (!isWhole || configure.isPending) return;
    const { randomShare, confidenceBelow, secondPersonShare } = shares as Record<keyof typeof shares, number>;
    const settings = { enabled, sources, scope, graderIds, randomShare, confidenceBelow, secondPersonShare };
    configure.mutate(settings, {
      onSuccess: () => toast(enabled ? "Conversations come into the queue from now on." : "The queue is switched off."),
    });
  };
  return (
    <form
      noValidate
      className={styles["settings"]}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {refused.form !== undefined && <Failure error={configure.error} />}
      <Card title="The queue">
        <div className={styles["fields"]}>
          <Checkbox
            label="Take conversations into the queue"
            help="From the next graded conversation on. Items that are in it stay."
            checked={enabled}
            onChange={({ target }) => change({ enabled: target.checked })}
          />
          <RadioGroup legend="Of" options={SCOPES} value={scope} onChange={(value) => change({ scope: value })} />
          <Combobox
            label="Graders"
            multiple
            placeholder="Every grade that a judge decided"
            help="Choose graders to label only their grades, including those that code decides."
            options={graders.map(({ id, name }) => ({ value: id, label: name }))}
            values={graderIds}
            onChange={(values) => change({ graderIds: values })}
          />
        </div>
      </Card>
      <Card title="Why a conversation comes in">
        <div className={styles["fields"]}>
          {REVIEW_REASON_NAMES.map((reason) => (
            <div key={reason}>
              <Checkbox
                label={REVIEW_REASONS[reason].title}
                help={REVIEW_REASONS[reason].meaning}
                checked={sources.includes(reason)}
                onChange={({ target }) =>
                  change({
                    sources: target.checked ? [...sources, reason] : sources.filter((source) => source !== reason),
                  })
                }
              />
              {reason === "random" && sources.includes(reason) && (
                <div className={styles["below"]}>
                  <TextField
                    label="Percent of graded conversations"
                    inputMode="decimal"
                    autoComplete="off"
                    value={draft.randomShare}
                    error={errorOf("randomShare")}
                    onChange={({ target }) => change({ randomShare: target.value })}
                  />
                </div>
              )}
              {reason === "low_confidence" && sources.includes(reason) && (
                <div className={styles["below"]}>
                  <TextField
                    label="Confidence below, in percent"
                    inputMode="decimal"
                    autoComplete="off"
                    value={draft.confidenceBelow}
                    error={errorOf("confidenceBelow")}
                    onChange={({ target }) => change({ confidenceBelow: target.value })}
                  />
                </div>
              )}
            </div>
          ))}
        </div>
      </Card>
      <Card title="Two people">
        <div className={styles["fields"]}>
          <TextField
            label="Percent of the items that ask for two people"
            help="Two people label the same conversation without seeing each other's label. Their kappa shows beside the grader's."
            inputMode="decimal"
            autoComplete="off"
            value={draft.secondPersonShare}
            error={errorOf("secondPersonShare")}
            onChange={({ target }) => change({ secondPersonShare: target.value })}
          />
        </div>
      </Card>
      <div>
        <Button type="submit" look="primary" busy={configure.isPending} disabled={!isWhole}>
          Save
        </Button>
      </div>
    </form>
  );
}

function SettingsFacts({ queue }: { queue: ReviewQueue }) {
  const { enabled, sources, randomShare, confidenceBelow, scope, graderIds, secondPersonShare } = queue;
  return (
    <Card title="Settings">
      <KeyValues
        items={[
          ["Takes conversations", enabled ? "yes" : "no"],
          ["Of", SCOPES.find(({ value }) => value === scope)!.label],
          ["Reasons", sources.map((source) => REVIEW_REASONS[source].title).join(", ") || "none"],
          ["Random share", formatPercent(randomShare)],
          ["Confidence below", formatPercent(confidenceBelow)],
          ["Graders", graderIds.length === 0 ? "every grade that a judge decided" : graderIds.join(", ")],
          ["For two people", formatPercent(secondPersonShare)],
        ]}
      />
    </Card>
  );
}
