import { platformName } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound, type LucideIcon, TriangleAlert, Wrench, X } from "lucide-react";
import type { ReactNode } from "react";
import { usePlace } from "../shell/place.ts";
import { setupsQuery } from "../setups.ts";
import { buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/notice.tsx";
import { formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./attention-card.module.css";
import { type Attention, needsALook } from "./needs-a-look.ts";
import { type Period, wordsOf } from "../periods.ts";
import { failedRunsQuery, newestRunsQuery, toolUseQuery } from "./queries.ts";

export function AttentionCard({ period }: { period: Period }) {
  const place = usePlace();
  const runs = useQuery(newestRunsQuery(place));
  const failed = useQuery(failedRunsQuery(place, runs.data?.runs));
  const setups = useQuery(setupsQuery(place));
  const tools = useQuery(toolUseQuery(place, period));
  const asked = [runs, failed, setups, tools];
  const broken = asked.find(({ error }) => error !== null);
  const isPending = asked.some((query) => query.isPending);
  const items = isPending ? [] : needsALook(failed.data ?? [], setups.data ?? [], tools.data?.series ?? []);

  return (
    <Card title="Needs a look" note={items.length > 0 ? items.length : undefined} flush>
      {broken?.error && <Failure error={broken.error} again={broken.refetch} />}
      {isPending && !broken && <Skeleton rows={3} />}
      {!isPending && !broken && items.length === 0 && <p className={styles["nothing"]}>Nothing needs you.</p>}
      <ul>
        {items.map((item, at) => (
          <li key={at}>
            <Item item={item} period={period} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Item({ item, period }: { item: Attention; period: Period }) {
  const { params } = usePlace();
  if (item.kind === "failing_test") {
    const { run, test, behavior } = item;
    const example = behavior?.example;
    const link = example ? (
      <Link
        to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
        params={{ ...params, runId: run.id, simulationId: example.simulationId }}
        className={buttonClass("plain", true)}
      >
        See why
      </Link>
    ) : (
      <Link
        to="/o/$organizationId/p/$project/runs/$runId"
        params={{ ...params, runId: run.id }}
        className={buttonClass("plain", true)}
      >
        See the run
      </Link>
    );
    return (
      <Row icon={X} tone="failed" action={link}>
        <p>
          <b>
            <UserText inline text={test.testName} />
          </b>{" "}
          fails in {test.failed} of {test.played}
        </p>
        <p className={styles["detail"]}>
          <UserText inline text={run.name ?? run.agentName} />
          {behavior && (
            <>
              {" · "}
              <UserText inline text={`“${behavior.criterion}”`} />
            </>
          )}
        </p>
      </Row>
    );
  }
  if (item.kind === "refused_key")
    return (
      <Row
        icon={KeyRound}
        tone="failed"
        action={
          <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass("plain", true)}>
            Open the setup
          </Link>
        }
      >
        <p>
          <b>{platformName(item.setup.agent_platform)}</b> refuses the key
        </p>
        <p className={styles["detail"]}>No call is imported until the key is replaced.</p>
      </Row>
    );
  if (item.kind === "failed_imports")
    return (
      <Row
        icon={TriangleAlert}
        tone="warning"
        action={
          <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass("plain", true)}>
            Open failures
          </Link>
        }
      >
        <p>
          <b>{formatPlural(item.count, "call")}</b> could not be imported
        </p>
        <p className={styles["detail"]}>The service tries again by itself.</p>
      </Row>
    );
  return (
    <Row
      icon={Wrench}
      tone="tool"
      action={
        <Link
          to="/o/$organizationId/p/$project/conversations"
          params={params}
          search={{ agent: item.agentName ?? undefined, status: "error" }}
          className={buttonClass("plain", true)}
        >
          Show calls
        </Link>
      }
    >
      <p>
        Tool calls of{" "}
        <b>{item.agentName === null ? "an agent without a name" : <UserText inline text={item.agentName} />}</b> fail
      </p>
      <p className={styles["detail"]}>
        {item.errors} of {item.calls} in {wordsOf(period)}
        {item.worst.tool !== null && (
          <>
            , most of them <code>{item.worst.tool}</code>
          </>
        )}
      </p>
    </Row>
  );
}

type RowProps = { icon: LucideIcon; tone: "failed" | "warning" | "tool"; action: ReactNode; children: ReactNode };

function Row({ icon: Icon, tone, action, children }: RowProps) {
  return (
    <div className={styles["row"]}>
      <Icon size={16} strokeWidth={1.75} className={styles[tone]} aria-hidden />
      <div className={classes(styles["text"])}>{children}</div>
      <div className={styles["action"]}>{action}</div>
    </div>
  );
}
