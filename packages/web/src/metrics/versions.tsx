import type { ComparedQuantity, VersionComparison } from "@svc/contract";
import { VERSION_VERDICT_WORDS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeftRight, Check, Diff, X } from "lucide-react";
import { agentVersionsQuery } from "../agent-versions.ts";
import { type Period, PERIOD_NAMES, wordsOf } from "../periods.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty } from "../ui/empty.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { formatCount, formatMeasure } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./metrics.module.css";
import { versionComparisonQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/metrics/versions");

export function CompareVersions() {
  const place = usePlace();
  const search = route.useSearch();
  const { agent, period = "7d" } = search;
  const navigate = route.useNavigate();
  const all = useQuery(agentVersionsQuery(place, undefined));
  const ofAgent = (all.data?.agentVersions ?? []).filter(({ agentName }) => agentName === agent);
  const [second = ofAgent[0]?.version, first = ofAgent.find(({ version }) => version !== second)?.version] = [
    search.with,
    search.version,
  ];
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const agents = [...new Set((all.data?.agentVersions ?? []).map(({ agentName }) => agentName))];
  const versions = ofAgent.map(({ version }) => ({ value: version, label: version }));
  const isChosen = agent !== undefined && first !== undefined && second !== undefined && first !== second;
  return (
    <Page
      title="Versions"
      above={
        <Link to="/o/$organizationId/p/$project/metrics" params={place.params}>
          Metrics
        </Link>
      }
      actions={
        <Segmented
          label="Period"
          value={period}
          options={PERIOD_NAMES.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(value: Period) => change({ period: value })}
        />
      }
    >
      <Filters>
        <Filter
          name="Agent"
          value={agent}
          options={agents.map((name) => ({ value: name, label: name }))}
          onChange={(value) => change({ agent: value, version: undefined, with: undefined })}
        />
        {agent !== undefined && (
          <>
            <Filter name="Before" value={first} options={versions} onChange={(value) => change({ version: value })} />
            <Filter name="Now" value={second} options={versions} onChange={(value) => change({ with: value })} />
          </>
        )}
        {isChosen && (
          <Button look="quiet" onClick={() => change({ version: second, with: first })}>
            <ArrowLeftRight size={16} aria-hidden />
            Swap
          </Button>
        )}
      </Filters>
      {all.error && <Failure error={all.error} again={all.refetch} />}
      {isChosen ? (
        <Compared
          key={JSON.stringify([agent, first, second, period])}
          choice={{ agent, version: first, with: second, period }}
        />
      ) : all.data === undefined ? (
        !all.error && <Skeleton rows={8} />
      ) : (
        <NothingChosen agents={agents.length} agent={agent} versions={versions.length} />
      )}
    </Page>
  );
}

type NothingChosenProps = { agents: number; agent: string | undefined; versions: number };

function NothingChosen({ agents, agent, versions }: NothingChosenProps) {
  const { params } = usePlace();
  const toConversations = (
    <Link to="/o/$organizationId/p/$project/conversations" params={params} className={buttonClass()}>
      Show the conversations
    </Link>
  );
  if (agents === 0)
    return (
      <Empty icon={Diff} title="No conversation names a version" action={toConversations}>
        <p>
          Set <code>SVC_AGENT_VERSION</code> beside <code>SVC_URL</code> for a worker, or <code>service.version</code>{" "}
          in the resource of its spans. Calls of Retell have a version by themselves.
        </p>
      </Empty>
    );
  if (agent === undefined)
    return (
      <Empty icon={Diff} title="Choose an agent">
        <p>Then its two newest versions are compared.</p>
      </Empty>
    );
  return (
    <Empty icon={Diff} title={versions < 2 ? "One version is not enough" : "Choose two different versions"}>
      <p>
        {versions < 2
          ? "The agent has no second version in its conversations yet."
          : "A version beside itself has no difference."}
      </p>
    </Empty>
  );
}

type Choice = { agent: string; version: string; with: string; period: Period };

function Compared({ choice }: { choice: Choice }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(versionComparisonQuery(place, choice));
  if (error && data === undefined) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={10} />;
  const { words, quantities } = data;
  const [result, ...notes] = words;
  return (
    <>
      <h2 className={styles["headline"]}>
        <bdi>{result}</bdi>
      </h2>
      <p className={styles["lede"]}>{notes.join(" ")}</p>
      <VersionLinks comparison={data} />
      <Quantities title="Rates" comparison={data} quantities={quantities.filter(({ kind }) => kind !== "measure")} />
      <Quantities title="Measures" comparison={data} quantities={quantities.filter(({ kind }) => kind === "measure")} />
    </>
  );
}

function VersionLinks({ comparison: { agentName, from, to, first, second } }: { comparison: VersionComparison }) {
  const { params } = usePlace();
  return (
    <p className={styles["versions"]}>
      {[first, second].map(({ version, conversations }) => (
        <Link
          key={version}
          to="/o/$organizationId/p/$project/conversations"
          params={params}
          search={{ agent: agentName, version, source: "production", from, to }}
        >
          <UserText inline text={version} />: {formatCount(conversations)}{" "}
          {conversations === 1 ? "conversation" : "conversations"}
        </Link>
      ))}
    </p>
  );
}

type QuantitiesProps = {
  title: string;
  comparison: VersionComparison;
  quantities: readonly ComparedQuantity[];
};

const ORDER: Record<ComparedQuantity["verdict"], number> = {
  worse: 0,
  better: 1,
  differs: 2,
  no_difference_shown: 3,
  too_few: 4,
};

function Quantities({ title, comparison: { first, second }, quantities }: QuantitiesProps) {
  if (quantities.length === 0) return null;
  return (
    <Section title={title}>
      <Table
        label={title}
        stacked
        columns={[
          { head: "Quantity", width: "36%" },
          { head: <UserText inline text={first.version} />, numeric: true },
          { head: <UserText inline text={second.version} />, numeric: true },
          { head: "Difference, 95 %", numeric: true, wideOnly: true },
          { head: "" },
          { head: "n", numeric: true, wideOnly: true },
        ]}
      >
        {quantities
          .toSorted((one, other) => ORDER[one.verdict] - ORDER[other.verdict])
          .map((quantity) => (
            <tr key={quantity.label}>
              <td className={tables["name"]}>
                <UserText inline text={quantity.label} />
              </td>
              <td className={tables["num"]}>{formatMeasure(quantity.first.value, quantity.unit)}</td>
              <td className={tables["num"]}>{formatMeasure(quantity.second.value, quantity.unit)}</td>
              <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
                {differenceText(quantity)}
              </td>
              <td>
                <VersionVerdict verdict={quantity.verdict} />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
                {formatCount(quantity.first.n)}, {formatCount(quantity.second.n)}
              </td>
            </tr>
          ))}
      </Table>
    </Section>
  );
}

function VersionVerdict({ verdict }: Pick<ComparedQuantity, "verdict">) {
  const words = VERSION_VERDICT_WORDS[verdict];
  if (verdict === "worse")
    return (
      <Chip tone="failed" icon={X}>
        {words}
      </Chip>
    );
  if (verdict === "better")
    return (
      <Chip tone="passed" icon={Check}>
        {words}
      </Chip>
    );
  if (verdict === "differs")
    return (
      <Chip tone="plain" icon={Diff}>
        {words}
      </Chip>
    );
  return <span className={tables["faint"]}>{words}</span>;
}

function differenceText({ difference, low, high, unit }: ComparedQuantity): string {
  if (difference === null) return "";
  const signed = (value: number) => {
    const text = formatMeasure(Math.abs(value), unit);
    return text === formatMeasure(0, unit) ? text : `${value > 0 ? "+" : "−"}${text}`;
  };
  return low === null || high === null
    ? signed(difference)
    : `${signed(difference)} (${signed(low)} to ${signed(high)})`;
}
