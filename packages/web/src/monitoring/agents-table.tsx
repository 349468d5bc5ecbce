import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { classes } from "../ui/classes.ts";
import { formatCount } from "../ui/format.ts";
import { Progress } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./monitoring.module.css";
import { firstImport } from "./progress.ts";

type Agent = Answer<Operations["monitoring"]["list"]>["setups"][number]["agents"][number];

export function AgentsTable({ agents }: { agents: readonly Agent[] }) {
  const { params } = usePlace();
  return (
    <div className={styles["inCard"]}>
      <Table
        label="Imported agents"
        columns={[
          { head: "Agent" },
          { head: "First 30 days", width: "34%" },
          { head: "Imported", numeric: true },
          { head: "Newest call", numeric: true, wideOnly: true },
          { head: "Not imported", numeric: true },
        ]}
      >
        {agents.map((agent) => (
          <tr key={agent.id}>
            <td className={tables["name"]}>
              <Link
                to="/o/$organizationId/p/$project/conversations"
                params={params}
                search={{ agent: agent.platform_agent_name }}
              >
                <UserText inline text={agent.platform_agent_name} />
              </Link>
            </td>
            <td>
              <FirstDays agent={agent} />
            </td>
            <td className={tables["num"]}>{formatCount(agent.imported)}</td>
            <td className={classes(tables["num"], tables["wideOnly"])}>
              <Time at={agent.last_conversation_at} />
            </td>
            <td className={tables["num"]}>
              <span className={agent.open_failures > 0 ? styles["open"] : tables["faint"]}>
                {formatCount(agent.open_failures)}
              </span>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

function FirstDays({ agent }: { agent: Agent }) {
  const progress = firstImport(agent);
  if (progress === undefined)
    return (
      <span className={styles["done"]}>
        <Check size={14} strokeWidth={2} aria-hidden /> all in; new calls follow
      </span>
    );
  const { days, all } = progress;
  return (
    <span className={styles["days"]}>
      <Progress value={days} max={all} label={`First ${all} days of ${agent.platform_agent_name}`} />
      <span>
        {days} of {all} days
      </span>
    </span>
  );
}
