import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { setupsQuery } from "../setups.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Time } from "../ui/time.tsx";
import { type Agent, monitoringOf, platformOf } from "./agent-words.ts";
import styles from "./agents.module.css";

/** The platform, the conversations and the monitoring of an agent, with links to them. */
export function AgentFacts({ agent }: { agent: Agent }) {
  const place = usePlace();
  const { params } = place;
  const { data: setups } = useQuery(setupsQuery(place));
  return (
    <div>
      <KeyValues
        items={[
          ["Platform", platformOf(agent)],
          ...(agent.platformAgentId === null
            ? []
            : [["Id on the platform", <code key="id">{agent.platformAgentId}</code>] as const]),
          [
            "Last production conversation",
            agent.lastReceivedAt === null ? "None yet" : <Time key="last" at={agent.lastReceivedAt} />,
          ],
          ["Monitoring", setups && monitoringOf(agent, setups).words],
          ["Created", <Time key="created" at={agent.createdAt} absolute />],
        ]}
      />
      <p className={styles["links"]}>
        <Link to="/o/$organizationId/p/$project/conversations" params={params} search={{ agent: agent.name }}>
          Its conversations
        </Link>
        <Link to="/o/$organizationId/p/$project/metrics" params={params} search={{ agent: agent.name }}>
          Its metrics
        </Link>
        <Link to="/o/$organizationId/p/$project/runs" params={params} search={{ agent: agent.id }}>
          Its runs
        </Link>
        <Link to="/o/$organizationId/p/$project/monitoring" params={params}>
          Monitoring
        </Link>
      </p>
    </div>
  );
}
