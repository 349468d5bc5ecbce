import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { classes } from "../ui/classes.ts";
import { formatCount, formatPercent, UNKNOWN } from "../ui/format.ts";
import { tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { type Agent, platformOf } from "./agent-words.ts";
import styles from "./agents.module.css";
import { passRatesQuery } from "./queries.ts";

type AgentRowProps = { agent: Agent; conversations: number | undefined };

/** One agent of the list, with the result of its newest run. */
export function AgentRow({ agent, conversations }: AgentRowProps) {
  const { params } = usePlace();
  return (
    <tr>
      <td className={tables["name"]}>
        <Link to="/o/$organizationId/p/$project/agents/$agentId" params={{ ...params, agentId: agent.id }}>
          <UserText inline text={agent.name} />
        </Link>
      </td>
      <td className={classes(tables["wideOnly"], styles["muted"])}>{platformOf(agent)}</td>
      <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(conversations)}</td>
      <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
        {agent.lastReceivedAt === null ? "Never" : <Time at={agent.lastReceivedAt} />}
      </td>
      <td className={tables["num"]}>
        <NewestRun agentId={agent.id} />
      </td>
    </tr>
  );
}

function NewestRun({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data } = useQuery(passRatesQuery(place, agentId, 1));
  const [newest] = data?.passRates ?? [];
  if (data === undefined) return null;
  if (newest === undefined) return <span title="No run yet">{UNKNOWN}</span>;
  return (
    <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: newest.runId }}>
      {newest.passRate === null ? "No verdict" : `${formatPercent(newest.passRate)} of ${newest.played} passed`}
    </Link>
  );
}
