import { platformName } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { agentVersionsQuery } from "../agent-versions.ts";
import { usePlace } from "../shell/place.ts";
import { setupsQuery } from "../setups.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Time } from "../ui/time.tsx";
import { type Agent, mockToolsOf, monitoringOf } from "./agent-words.ts";
import styles from "./agents.module.css";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { mockToolsQuery, passRatesQuery } from "./queries.ts";
import { formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/small-plots.tsx";
import { UserText } from "../ui/user-text.tsx";

export function AgentFacts({ agent }: { agent: Agent }) {
  const place = usePlace();
  const { params } = place;
  const { data: setups } = useQuery(setupsQuery(place));
  return (
    <div>
      <KeyValues
        items={[
          ["Platform", platformName(agent.agentPlatform)],
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

const VERSIONS_SHOWN = 8;

export function AgentVersions({ agent }: { agent: Agent }) {
  const place = usePlace();
  const { params } = place;
  const { data, error, refetch } = useQuery(agentVersionsQuery(place, agent.name));
  const versions = data?.agentVersions;
  return (
    <Section
      title="Versions in production"
      action={
        versions !== undefined &&
        versions.length > 1 && (
          <Link to="/o/$organizationId/p/$project/metrics/versions" params={params} search={{ agent: agent.name }}>
            Compare versions
          </Link>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {versions === undefined && !error && <Skeleton rows={2} />}
      {versions?.length === 0 && (
        <p className={styles["muted"]}>No conversation of this agent in production names a version.</p>
      )}
      {versions !== undefined && versions.length > 0 && (
        <Table
          label="Versions in production"
          columns={[
            { head: "Version" },
            { head: "First seen", numeric: true },
            { head: "Last conversation", numeric: true, wideOnly: true },
            { head: "", numeric: true },
          ]}
        >
          {versions.slice(0, VERSIONS_SHOWN).map(({ version, firstSeenAt, lastSeenAt }, at) => (
            <tr key={version}>
              <td className={tables["name"]}>
                <Link
                  to="/o/$organizationId/p/$project/conversations"
                  params={params}
                  search={{ agent: agent.name, version, source: "production" }}
                >
                  <UserText inline text={version} />
                </Link>
              </td>
              <td className={tables["num"]}>
                <Time at={firstSeenAt} absolute />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                <Time at={lastSeenAt} />
              </td>
              <td className={tables["num"]}>
                {versions[at + 1] !== undefined && (
                  <Link
                    to="/o/$organizationId/p/$project/metrics/versions"
                    params={params}
                    search={{ agent: agent.name, version: versions[at + 1]!.version, with: version, period: "30d" }}
                  >
                    Compare
                    <span className="visually-hidden">
                      {" "}
                      {version} with {versions[at + 1]!.version}
                    </span>
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

export function AgentTools({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(mockToolsQuery(place));
  const tools = data && mockToolsOf(data, agentId);
  return (
    <Section
      title="Mock tools"
      action={
        <Link to="/o/$organizationId/p/$project/mock-tools" params={place.params}>
          All mock tools
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {tools === undefined && !error && <Skeleton rows={2} />}
      {tools?.length === 0 && (
        <p className={styles["muted"]}>
          No mock tool of the project applies to this agent. A test can still have its own.
        </p>
      )}
      {tools !== undefined && tools.length > 0 && (
        <Table
          label="Mock tools"
          columns={[{ head: "Tool" }, { head: "Result", width: "60%" }, { head: "Applies to", wideOnly: true }]}
        >
          {tools.map(({ id, tool, answer, error: message, agentIds }) => (
            <tr key={id}>
              <td>
                <code>{tool}</code>
              </td>
              <td className={tables["clip"]}>
                {message === undefined ? <code>{JSON.stringify(answer)}</code> : `Fails: ${message}`}
              </td>
              <td className={classes(tables["wideOnly"], styles["muted"])}>
                {agentIds.length === 0
                  ? "Every agent"
                  : agentIds.length === 1
                    ? "This agent"
                    : `${agentIds.length} agents`}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

export function AgentRuns({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(passRatesQuery(place, agentId));
  return (
    <Section title="Newest runs">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={3} />}
      {data?.passRates.length === 0 && <p className={styles["muted"]}>No test has run against this agent yet.</p>}
      {data !== undefined && data.passRates.length > 0 && (
        <Table
          label="Newest runs"
          columns={[
            { head: "Run" },
            { head: "Passed" },
            { head: "", width: "30%", wideOnly: true },
            { head: "Tests", numeric: true, wideOnly: true },
            { head: "Started", numeric: true },
          ]}
        >
          {data.passRates.map((run) => (
            <tr key={run.runId}>
              <td className={tables["name"]}>
                <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: run.runId }}>
                  {run.runName ?? "Run"}
                </Link>
              </td>
              <td>
                {run.passRate === null
                  ? "No verdict yet"
                  : `${formatPercent(run.passRate)} (${run.passed} of ${run.played})`}
              </td>
              <td className={tables["wideOnly"]}>
                <Interval label="Passed" value={run.passRate} low={run.passRateLow} high={run.passRateHigh} />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{run.testCount}</td>
              <td className={classes(tables["num"], styles["muted"])}>
                <Time at={run.createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
