import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { nameOfLine } from "./lines.ts";
import { usePlotPage } from "./plot-page.ts";

type ToolUse = Answer<Operations["metrics"]["tools"]>;

/** The tools with the most failures come first. */
export function ToolsTable({ tools: { from, to, series } }: { tools: ToolUse }) {
  const { params } = usePlace();
  const { source, version } = usePlotPage();
  return (
    <Table
      label="Tools of the period"
      dense
      columns={[
        { head: "Tool" },
        { head: "Agent" },
        { head: "Calls", numeric: true },
        { head: "Failed", numeric: true },
        { head: "Share", numeric: true },
        { head: "Not known", numeric: true, wideOnly: true },
      ]}
    >
      {series
        .toSorted((one, other) => other.errors - one.errors || other.calls - one.calls)
        .map(({ agentName, agentVersion, tool, calls, errors, unknown }) => (
          <tr key={JSON.stringify([agentName, agentVersion, tool])}>
            <td className={tables["name"]}>
              <Link
                to="/o/$organizationId/p/$project/conversations"
                params={params}
                search={{
                  from,
                  to,
                  source,
                  tool: tool ?? undefined,
                  agent: agentName ?? undefined,
                  withoutAgent: agentName === null ? "true" : undefined,
                  version: agentVersion ?? version,
                }}
              >
                <code>{tool ?? "without a name"}</code>
              </Link>
            </td>
            <td>
              <UserText inline text={nameOfLine({ agentName, agentVersion })} />
            </td>
            <td className={tables["num"]}>{formatCount(calls)}</td>
            <td className={tables["num"]}>{formatCount(errors)}</td>
            <td className={tables["num"]}>{formatPercent(calls === unknown ? null : errors / (calls - unknown))}</td>
            <td className={`${tables["num"]} ${tables["wideOnly"]} ${tables["faint"]}`}>{formatCount(unknown)}</td>
          </tr>
        ))}
    </Table>
  );
}
