import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, Siren } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass, WideWords } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatPlural } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { AlertsSection } from "./alerts-table.tsx";
import styles from "./alerts.module.css";
import { alertRulesQuery, toldDestinationsQuery } from "./queries.ts";
import { ReadyRules } from "./ready-rules.tsx";
import { RulesTable } from "./rules-table.tsx";

export function Alerts() {
  const place = usePlace();
  const { data: rules, error, refetch } = useQuery(alertRulesQuery(place));
  const { data: told } = useQuery(toldDestinationsQuery(place));
  const isEmpty = rules?.length === 0;
  const enabled = rules?.filter((rule) => rule.enabled).length ?? 0;
  return (
    <Page title="Alerts" actions={place.canWrite && <NewRuleLink />}>
      {error && <Failure error={error} again={refetch} />}
      {rules === undefined && !error && <Skeleton rows={6} />}
      {isEmpty && (
        <>
          <Empty icon={Siren} title="Hear of it when production goes badly">
            <p>
              A rule watches a measure, a share of errors or the number of conversations, and raises an alert when it is
              bad.
            </p>
          </Empty>
          {place.canWrite && (
            <Section title="Ready rules" note="for every agent; a click adds one">
              <ReadyRules rules={[]} />
            </Section>
          )}
        </>
      )}
      {rules !== undefined && !isEmpty && (
        <div className={styles["parts"]}>
          {told?.length === 0 && (
            <Notice
              action={
                <Link to="/o/$organizationId/p/$project/notifications" params={place.params}>
                  Choose who hears of them
                </Link>
              }
            >
              Nobody hears of these alerts: no destination receives <code>alert.raised</code>.
            </Notice>
          )}
          <AlertsSection
            title="Open"
            filter={{ state: "open" }}
            empty={
              enabled === 0
                ? "Every rule is disabled, so nothing is watched."
                : `No alert is open. ${formatPlural(enabled, "rule watches", "rules watch")}.`
            }
          />
          <AlertsSection title="Cleared" filter={{ state: "cleared" }} />
          <Section title="Rules">
            <RulesTable rules={rules} />
            <div className={styles["more"]}>
              <ReadyRules rules={rules} />
            </div>
          </Section>
        </div>
      )}
    </Page>
  );
}

function NewRuleLink() {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/alerts/rules/new" params={params} className={buttonClass("primary")}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      <WideWords>New rule</WideWords>
    </Link>
  );
}
