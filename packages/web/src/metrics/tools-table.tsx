import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { nameOfAgent } from "./measure-plots.ts";
import { type MetricsFilter, toolsQuery } from "./queries.ts";

/** The tools of each agent in the period, with the share of calls that failed of those for which it is known. */
export function ToolsTable({ filter }: { filter: MetricsFilter }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(toolsQuery(place, filter));
  if (error) return <Failure error={error} again={refetch} />;
  if (!data || data.series.length === 0) return null;
  return (
    <Section title="Tools">
      <Table
        label="Tools of the period"
        columns={[
          { head: "Agent" },
          { head: "Tool" },
          { head: "Calls", numeric: true },
          { head: "Failed", numeric: true },
          { head: "Share", numeric: true, wideOnly: true },
          { head: "Not known", numeric: true, wideOnly: true },
        ]}
      >
        {data.series.map(({ agentName, tool, calls, errors, unknown }) => (
          <tr key={`${agentName} ${tool}`}>
            <td>
              <UserText inline text={nameOfAgent(agentName)} />
            </td>
            <td className={tables["name"]}>
              <Link
                to="/o/$organizationId/p/$project/conversations"
                params={place.params}
                search={{ agent: agentName ?? undefined, source: filter.source }}
              >
                <code>{tool ?? "without a name"}</code>
              </Link>
            </td>
            <td className={tables["num"]}>{formatCount(calls)}</td>
            <td className={tables["num"]}>{formatCount(errors)}</td>
            <td className={`${tables["num"]} ${tables["wideOnly"]}`}>
              {formatPercent(calls === unknown ? null : errors / (calls - unknown))}
            </td>
            <td className={`${tables["num"]} ${tables["wideOnly"]} ${tables["faint"]}`}>{formatCount(unknown)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
