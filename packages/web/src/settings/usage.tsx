import { useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { serviceQuery } from "./queries.ts";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";
import { UsageTable } from "./usage-table.tsx";

/** The limits and the settings of the service, and the work of its judge. */
export const Usage = () => (
  <SettingsPage title="Usage and limits">
    <div className={styles["parts"]}>
      <UsageTable />
      <Service />
    </div>
  </SettingsPage>
);

function Service() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(serviceQuery(organizationId));
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={6} />;
  const {
    version,
    baseUrl,
    languageModel,
    mail,
    openSignUp,
    outboundPrivate,
    retentionDays,
    rateLimit,
    ingestPerMinute,
  } = data.service;
  return (
    <Section title="The service" note="The operator of the service changes these settings.">
      <KeyValues
        items={[
          ["Version", version],
          ["Address", <code key="address">{baseUrl}</code>],
          [
            "Requests",
            `${formatCount(rateLimit.perMinute)} a minute for each key and session; you have ${formatCount(rateLimit.remaining)} left for ${rateLimit.resetSeconds} s`,
          ],
          [
            "Trace ingest",
            ingestPerMinute === null
              ? "Counts with all other requests"
              : `${formatCount(ingestPerMinute)} requests a minute`,
          ],
          [
            "Retention",
            retentionDays === null
              ? "The service keeps conversations until somebody deletes them"
              : `The service erases conversations after ${formatPlural(retentionDays, "day")}`,
          ],
          [
            "Language model",
            languageModel === null
              ? "None. Behaviors that need a judge are not graded, and callers follow a script."
              : `${languageModel.model}${languageModel.hasPrices ? "" : ", whose prices the service does not know"}`,
          ],
          ["Mail", mail ? "The service sends invitations and password links" : "The service sends no mail"],
          ["Sign-up", openSignUp ? "Open to everyone" : "By invitation only"],
          [
            "Private addresses",
            outboundPrivate
              ? "The service calls agents at private addresses"
              : "The service calls only public addresses",
          ],
        ]}
      />
    </Section>
  );
}
