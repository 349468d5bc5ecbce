import { useQueries, useQuery } from "@tanstack/react-query";
import { useOrganization } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import { formatCost, formatCount, formatPlural } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { serviceQuery, usageQuery } from "./queries.ts";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";
import { projectsQuery } from "../shell/projects.ts";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";

const PROJECTS_SHOWN = 20;

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

function UsageTable() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(projectsQuery(organizationId));
  const projects = data?.projects.slice(0, PROJECTS_SHOWN) ?? [];
  const usages = useQueries({ queries: projects.map(({ id }) => usageQuery(organizationId, id)) });
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const refused = usages.find((usage) => usage.error);
  return (
    <Section title="Runs and the judge" note="The last 30 days. Costs are in the currency of the service’s prices.">
      {refused && <Failure error={refused.error} again={refused.refetch} />}
      <Table
        label="Runs and the judge"
        columns={[
          { head: "Project" },
          { head: "Runs", numeric: true },
          { head: "Judge requests", numeric: true, wideOnly: true },
          { head: "Tokens in", numeric: true, wideOnly: true },
          { head: "Tokens out", numeric: true, wideOnly: true },
          { head: "Cost", numeric: true },
        ]}
      >
        {projects.map(({ id, name }, at) => {
          const usage = usages[at]?.data?.usage;
          const isCostUnknown = usage !== undefined && usage.runsWithoutCost > 0 && usage.judgeCost === 0;
          return (
            <tr key={id}>
              <td className={styles["name"]}>{name}</td>
              <td className={tables["num"]}>{formatCount(usage?.runs)}</td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(usage?.judgeRequests)}</td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(usage?.judgeInputTokens)}</td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(usage?.judgeOutputTokens)}</td>
              <td
                className={tables["num"]}
                title={
                  usage !== undefined && usage.runsWithoutCost > 0
                    ? `The cost of ${formatPlural(usage.runsWithoutCost, "run")} is not known.`
                    : undefined
                }
              >
                {formatCost(isCostUnknown ? null : usage?.judgeCost)}
              </td>
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}
