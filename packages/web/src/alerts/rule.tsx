import type { AlertRule, AlertRuleContent } from "@svc/contract";
import { badWhenText, contentOfRule } from "@svc/contract/constants";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries, refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { RecordFailure } from "../ui/empty.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPlural } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { UserText } from "../ui/user-text.tsx";
import { windowWords } from "./alert-words.ts";
import { AlertsLink } from "./alerts-link.tsx";
import { AlertsSection } from "./alerts-table.tsx";
import styles from "./alerts.module.css";
import { contentOf, draftOf } from "./draft.ts";
import { Preview } from "./preview.tsx";
import { alertRuleQuery } from "./queries.ts";
import { RuleActions } from "./rule-actions.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleStateChip } from "./rules-table.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/alerts/rules/$alertRuleId");

export function AlertRulePage() {
  const { alertRuleId } = route.useParams();
  const place = usePlace();
  const { data: rule, error, refetch } = useQuery(alertRuleQuery(place, alertRuleId));
  if (rule === undefined)
    return (
      <Page title="Alert rule" above={<AlertsLink />}>
        {error ? (
          <RecordFailure error={error} again={refetch} noun="alert rule" action={<AlertsLink button />} />
        ) : (
          <Skeleton rows={8} />
        )}
      </Page>
    );
  if (place.canWrite) return <RuleEditor key={rule.id} rule={rule} />;
  return (
    <Page title={rule.name} above={<AlertsLink />}>
      {error && <Failure error={error} again={refetch} />}
      <div className={styles["state"]}>
        <RuleStateChip rule={rule} />
      </div>
      <div className={styles["editor"]}>
        <RuleFacts rule={rule} />
        <section className={styles["aside"]} aria-label="Preview">
          <Preview content={contentOfRule(rule)} />
        </section>
      </div>
      <AlertsSection title="Its alerts" filter={{ alertRuleId }} empty="It has raised no alert." />
    </Page>
  );
}

/** The settings of a rule, for people who may not edit it. */
const RuleFacts = ({ rule }: { rule: AlertRule }) => (
  <Card title="What is bad">
    <KeyValues
      items={[
        ["Bad when", <UserText key="bad" inline text={badWhenText(rule)} />],
        ["Window", windowWords(rule.windowMinutes)],
        ["Agents", <UserText key="agents" inline text={rule.agents.join(", ") || "Every agent"} />],
        ["Source", rule.source === "production" ? "Production" : "Simulations"],
        ["In a row", formatPlural(rule.windowsInRow, "window")],
        ["Severity", rule.severity],
      ]}
    />
  </Card>
);

/** Returns a text that changes when a member changes that decides about alerts. */
const judgedText = (content: AlertRuleContent): string =>
  JSON.stringify({ ...content, name: "", severity: "", destinationIds: [], remindAfterMinutes: null });

function RuleEditor({ rule }: { rule: AlertRule }) {
  const place = usePlace();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(contentOfRule(rule)));
  const { content } = contentOf(draft);
  const saved = contentOfRule(rule);
  const isChanged = content === undefined || JSON.stringify(content) !== JSON.stringify(saved);
  const startsAnew = content !== undefined && judgedText(content) !== judgedText(saved);
  const save = useMutation({
    mutationFn: () => place.client.alertRules.edit({ ...content!, alertRuleId: rule.id, projectId: place.projectId }),
    onSuccess: async ({ alertRule }) => {
      queries.setQueryData(alertRuleQuery(place, rule.id).queryKey, alertRule);
      setDraft(draftOf(contentOfRule(alertRule)));
      await refresh(place, "alertRules.list", "alerts.list");
    },
  });
  const canSave = content !== undefined && isChanged && !save.isPending;
  const submit = () => canSave && save.mutate();
  useKeys({ "mod+s": submit });
  return (
    <Page
      title={rule.name}
      above={<AlertsLink />}
      actions={
        <>
          <RuleActions
            rule={rule}
            onDeleted={() => void navigate({ to: "/o/$organizationId/p/$project/alerts", params: place.params })}
          />
          <Button look="primary" busy={save.isPending} disabled={!canSave} onClick={submit}>
            Save
          </Button>
        </>
      }
    >
      <div className={styles["state"]}>
        <RuleStateChip rule={rule} />
      </div>
      {startsAnew && rule.openAlerts > 0 && (
        <Notice>Saving clears {formatPlural(rule.openAlerts, "open alert")}, and the rule starts anew.</Notice>
      )}
      <RuleForm
        draft={draft}
        onChange={setDraft}
        onSubmit={submit}
        error={save.error}
        errors={save.error === null ? NO_ERRORS : formErrorsOf(save.error, ["name", "agents", "destinationIds"])}
      />
      <AlertsSection title="Its alerts" filter={{ alertRuleId: rule.id }} empty="It has raised no alert." />
    </Page>
  );
}
