import type { DeliveryState } from "@svc/contract/constants";
import type { Destination } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  Check,
  CircleAlert,
  CircleDashed,
  Hourglass,
  KeyRound,
  type LucideIcon,
  Pause,
  Pencil,
  Play,
  Send,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { formatMs, formatPlural } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { KINDS, type StateName, stateOf } from "./destination-words.ts";
import styles from "./notifications.module.css";

export type Step = { name: "edit" | "delete" | "rotate"; destination: Destination };

type DestinationsTableProps = { destinations: readonly Destination[]; onStep: (step: Step) => void };

export function DestinationsTable({ destinations, onStep }: DestinationsTableProps) {
  return (
    <Table
      label="Destinations"
      stacked
      columns={[
        { head: "Destination", width: "26%" },
        { head: "State", width: "32%" },
        { head: "Receives" },
        { head: <span className="visually-hidden">Actions</span> },
      ]}
    >
      {destinations.map((destination) => (
        <Row key={destination.id} destination={destination} onStep={onStep} />
      ))}
    </Table>
  );
}

function Row({ destination, onStep }: { destination: Destination; onStep: (step: Step) => void }) {
  const place = usePlace();
  const { client, projectId, canWrite } = place;
  const { id, name, kind, address, eventTypes, agents, quotes } = destination;
  const test = useMutation({ mutationFn: () => client.destinations.test({ projectId, destinationId: id }) });
  return (
    <tr>
      <td className={tables["name"]}>
        <div className={styles["cell"]}>
          <DeliveriesLink id={id}>
            <UserText inline text={name} />
          </DeliveriesLink>
          <div className={styles["muted"]}>
            {KINDS[kind].name} · <bdi>{address}</bdi>
          </div>
        </div>
      </td>
      <td className={styles["line"]}>
        <div className={styles["cell"]}>
          <State destination={destination} />
          {test.data?.delivered === true && (
            <div className={styles["good"]} role="status">
              The receiver accepted a test
              {test.data.status !== null && ` with the status ${test.data.status}`} after{" "}
              {formatMs(test.data.durationMs)}.
            </div>
          )}
          {(test.error ?? test.data?.problem) && (
            <div className={styles["bad"]} role="alert">
              {test.error ? test.error.message : `The test was not accepted: ${test.data!.problem}`}
            </div>
          )}
        </div>
      </td>
      <td className={styles["line"]}>
        <div className={styles["cell"]}>
          <div className={styles["types"]}>
            {eventTypes.map((type) => (
              <code key={type}>{type}</code>
            ))}
          </div>
          {agents.length > 0 && (
            <div className={styles["muted"]}>
              of <bdi>{agents.join(", ")}</bdi>
            </div>
          )}
          {quotes && <div className={styles["muted"]}>with quotes of conversations</div>}
        </div>
      </td>
      {canWrite && (
        <td className={tables["end"]}>
          <div className={styles["rowActions"]}>
            <Button small busy={test.isPending} onClick={() => test.mutate()}>
              <Send size={14} aria-hidden />
              {test.isPending ? "Sending…" : "Send a test"}
            </Button>
            <Actions destination={destination} onStep={onStep} />
          </div>
        </td>
      )}
    </tr>
  );
}

function Actions({ destination, onStep }: { destination: Destination; onStep: (step: Step) => void }) {
  const place = usePlace();
  const { id, name, kind, paused } = destination;
  const pause = useMutation({
    mutationFn: () =>
      place.client.destinations.edit({ projectId: place.projectId, destinationId: id, paused: !paused }),
    onSuccess: () => refresh(place, "destinations.list", "destinations.deliveries"),
  });
  return (
    <>
      <Menu label={`More about ${name}`} small>
        <MenuItem icon={Pencil} onSelect={() => onStep({ name: "edit", destination })}>
          Edit
        </MenuItem>
        <MenuItem icon={paused ? Play : Pause} onSelect={() => pause.mutate()}>
          {paused ? "Resume" : "Pause"}
        </MenuItem>
        {kind === "webhook" && (
          <MenuItem icon={KeyRound} onSelect={() => onStep({ name: "rotate", destination })}>
            Make a new secret
          </MenuItem>
        )}
        <MenuItem icon={Trash2} danger onSelect={() => onStep({ name: "delete", destination })}>
          Delete
        </MenuItem>
      </Menu>
      {pause.error && (
        <span className={styles["bad"]} role="alert">
          {pause.error.message}
        </span>
      )}
    </>
  );
}

const STATES: Record<StateName, { tone: "passed" | "plain" | "failed" | "warning"; icon: LucideIcon; word: string }> = {
  working: { tone: "passed", icon: Check, word: "Working" },
  new: { tone: "plain", icon: CircleDashed, word: "Nothing sent yet" },
  waiting: { tone: "plain", icon: Hourglass, word: "Waiting" },
  failing: { tone: "failed", icon: CircleAlert, word: "Failing" },
  paused: { tone: "plain", icon: Pause, word: "Paused" },
  gone: { tone: "warning", icon: TriangleAlert, word: "Gone" },
};

function State({ destination }: { destination: Destination }) {
  const { id, failing, waitingCount, failedCount, lastDeliveredAt } = destination;
  const name = stateOf(destination);
  const { tone, icon, word } = STATES[name];
  const why: Record<StateName, ReactNode> = {
    working: (
      <>
        Last event sent <Time at={lastDeliveredAt} />.
      </>
    ),
    new: "It gets the next event.",
    waiting: undefined,
    failing: failing && (
      <>
        Since <Time at={failing.since} />: {failing.problem}
      </>
    ),
    paused: "New events are not sent.",
    gone: "The receiver answered 410, which asks for no more events. Change its address and resume it.",
  };
  return (
    <>
      <Chip tone={tone} icon={icon}>
        {word}
      </Chip>
      <div className={styles["muted"]}>
        {why[name]}
        {waitingCount > 0 && (
          <>
            {" "}
            <DeliveriesLink id={id} state="waiting">
              {formatPlural(waitingCount, "event")} waiting
            </DeliveriesLink>
            .
          </>
        )}
        {failedCount > 0 && (
          <>
            {" "}
            <DeliveriesLink id={id} state="failed">
              {formatPlural(failedCount, "event")} not sent
            </DeliveriesLink>
            .
          </>
        )}
      </div>
    </>
  );
}

type DeliveriesLinkProps = { id: string; state?: DeliveryState; children: ReactNode };

function DeliveriesLink({ id, state, children }: DeliveriesLinkProps) {
  const { params } = usePlace();
  return (
    <Link
      to="/o/$organizationId/p/$project/notifications"
      params={params}
      search={(before) => ({ ...before, destination: id, state })}
      resetScroll={false}
    >
      {children}
    </Link>
  );
}
