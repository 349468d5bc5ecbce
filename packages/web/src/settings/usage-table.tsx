import { useQueries, useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { projectsQuery } from "../frame/projects.ts";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { formatCost, formatCount, formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { usageQuery } from "./queries.ts";
import styles from "./settings.module.css";

const PROJECTS_SHOWN = 20;

/** The runs of each project in the last 30 days, with the requests, the tokens and the cost of the judge. */
export function UsageTable() {
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
