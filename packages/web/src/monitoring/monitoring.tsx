import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { setupsQuery } from "../setups.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { formatCount } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./monitoring.module.css";
import { PlatformA } from "./platform-a.tsx";
import { PlatformB } from "./platform-b.tsx";
import { type OpenFailure, openFailures } from "./progress.ts";

export function Monitoring() {
  const place = usePlace();
  const { data: setups, error, refetch } = useQuery(setupsQuery(place));
  const platformA = setups?.find(({ agent_platform }) => agent_platform === "platform_a");
  const platformB = setups?.find(({ agent_platform }) => agent_platform === "platform_b_agents");
  return (
    <Page
      title="Monitoring"
      actions={
        setups &&
        platformA === undefined &&
        place.canWrite && (
          <Link
            to="/o/$organizationId/p/$project/monitoring/platform_a/setup"
            params={place.params}
            className={buttonClass("primary")}
          >
            <Plus size={16} strokeWidth={1.75} aria-hidden />
            Connect Retell
          </Link>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {!setups && !error && <Skeleton rows={8} />}
      {setups && (
        <>
          <PlatformA setup={platformA} />
          {platformA && <FailuresTable failures={openFailures(platformA.agents)} />}
          <PlatformB setup={platformB} />
        </>
      )}
    </Page>
  );
}

/** A call that a person replays with success stays in its row, with a link. */
function FailuresTable({ failures }: { failures: readonly OpenFailure[] }) {
  const [resolved, setResolved] = useState<ReadonlyMap<string, OpenFailure & { traceId: string }>>(new Map());
  const open = failures.filter(({ id }) => !resolved.has(id));
  const rows = [...resolved.values(), ...open];
  if (rows.length === 0) return null;
  return (
    <Section
      title="Calls that were not imported"
      note={`${formatCount(open.length)} open; the service tries them again by itself, ever more rarely`}
    >
      <Table
        label="Calls that were not imported"
        columns={[
          { head: "Call" },
          { head: "Agent", wideOnly: true },
          { head: "Why", width: "40%" },
          { head: "Tries", numeric: true, wideOnly: true },
          { head: "Next try", numeric: true, wideOnly: true },
          { head: <span className="visually-hidden">Actions</span> },
        ]}
      >
        {rows.map((failure) => (
          <Row
            key={failure.id}
            failure={failure}
            traceId={resolved.get(failure.id)?.traceId}
            onResolved={(traceId) => setResolved((before) => new Map(before).set(failure.id, { ...failure, traceId }))}
          />
        ))}
      </Table>
    </Section>
  );
}

type RowProps = { failure: OpenFailure; traceId: string | undefined; onResolved: (traceId: string) => void };

function Row({ failure, traceId, onResolved }: RowProps) {
  const { client, projectId, params, canWrite } = usePlace();
  const replay = useMutation({
    mutationFn: () => client.monitoring.replay({ failureId: failure.id, project: projectId }),
    onSuccess: async ({ trace }) => {
      onResolved(trace.id);
      await queries.invalidateQueries();
    },
  });
  return (
    <tr>
      <td className={tables["clip"]}>
        <code title={failure.provider_call_id}>{failure.provider_call_id}</code>
      </td>
      <td className={tables["wideOnly"]}>
        <UserText inline text={failure.agentName} />
      </td>
      <td>
        {traceId !== undefined ? (
          <span className={styles["imported"]} role="status">
            <Check size={14} strokeWidth={2} aria-hidden /> Imported now.{" "}
            <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId }}>
              Open
            </Link>
          </span>
        ) : replay.error ? (
          <span role="alert" className={styles["refused"]}>
            {replay.error.message}
          </span>
        ) : (
          failure.explanation
        )}
      </td>
      <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(failure.attempts)}</td>
      <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
        {traceId === undefined && <Time at={failure.next_attempt_at} />}
      </td>
      <td className={tables["end"]}>
        {traceId === undefined && canWrite && (
          <Button small busy={replay.isPending} onClick={() => replay.mutate()}>
            <RefreshCw size={14} aria-hidden />
            {replay.isPending ? "Reading…" : "Try now"}
          </Button>
        )}
      </td>
    </tr>
  );
}
