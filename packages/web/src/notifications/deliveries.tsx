import { DELIVERY_STATES, type DeliveryState } from "@svc/contract/constants";
import type { Delivery, Destination } from "@svc/sdk";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Check, CircleAlert, Hourglass, RefreshCw, X } from "lucide-react";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty } from "../ui/empty.tsx";
import { Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPlural } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import styles from "./notifications.module.css";
import { deliveryPages } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/notifications");

const STATES = {
  waiting: { tone: "plain", icon: Hourglass, word: "Waiting" },
  delivered: { tone: "passed", icon: Check, word: "Delivered" },
  failed: { tone: "failed", icon: CircleAlert, word: "Failed" },
} as const;

export function Deliveries({ destination }: { destination: Destination }) {
  const place = usePlace();
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(deliveryPages(place, destination.id, state));
  const [isAsking, setAsking] = useState(false);
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries);
  const show = (shown: DeliveryState | undefined) =>
    void navigate({
      search: (before) => ({ ...before, state: shown }),
      replace: true,
      resetScroll: false,
    });
  const close = () =>
    void navigate({
      search: ({ event }) => ({ event }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Section
      title={
        <>
          Deliveries to “<bdi>{destination.name}</bdi>”
        </>
      }
      note="of the last 30 days"
      action={
        <span className={styles["actions"]}>
          {destination.failedCount > 0 && place.canWrite && (
            <Button small onClick={() => setAsking(true)}>
              <RefreshCw size={14} aria-hidden />
              Send all again…
            </Button>
          )}
          <span className={styles["rowActions"]}>
            <Segmented
              label="State"
              options={[
                { value: "all", label: "All" },
                ...(Object.keys(DELIVERY_STATES) as DeliveryState[]).map((value) => ({
                  value,
                  label: STATES[value].word,
                })),
              ]}
              value={state ?? "all"}
              onChange={(value) => show(value === "all" ? undefined : (value as DeliveryState))}
            />
            <Button small look="quiet" iconOnly aria-label="Close the deliveries" onClick={close}>
              <X size={16} aria-hidden />
            </Button>
          </span>
        </span>
      }
    >
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {deliveries === undefined && !list.error && <Skeleton rows={4} />}
      {deliveries?.length === 0 && (
        <Empty title={state === undefined ? "No event was for it yet" : `No delivery is ${state}`}>
          <p>
            {state === undefined
              ? "Each event that it receives has a line here. A test has none."
              : DELIVERY_STATES[state].replaceAll("`", "")}
          </p>
        </Empty>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <>
          <DeliveryTable destination={destination} deliveries={deliveries} />
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
      {isAsking && <SendAllAgain destination={destination} onClose={() => setAsking(false)} />}
    </Section>
  );
}

type DeliveryTableProps = { destination: Destination; deliveries: readonly Delivery[] };

function DeliveryTable({ destination, deliveries }: DeliveryTableProps) {
  return (
    <Table
      label={`Deliveries to ${destination.name}`}
      stacked
      columns={[
        { head: "Event" },
        { head: "State" },
        { head: "Attempts", numeric: true, wideOnly: true },
        { head: "Answer", width: "40%" },
        { head: "Happened", numeric: true },
        { head: <span className="visually-hidden">Actions</span> },
      ]}
    >
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} destination={destination} delivery={delivery} />
      ))}
    </Table>
  );
}

function DeliveryRow({ destination, delivery }: { destination: Destination; delivery: Delivery }) {
  const place = usePlace();
  const { id, eventType, state, attempts, status, problem, createdAt, nextAttemptAt } = delivery;
  const { tone, icon, word } = STATES[state];
  const again = useMutation({
    mutationFn: () =>
      place.client.destinations.sendAgain({
        projectId: place.projectId,
        destinationId: destination.id,
        deliveryIds: [id],
      }),
    onSuccess: () => refresh(place, "destinations.list", "destinations.deliveries"),
  });
  return (
    <tr>
      <td>
        <code>{eventType}</code>
      </td>
      <td>
        <Chip tone={tone} icon={icon}>
          {word}
        </Chip>
      </td>
      <td className={classes(tables["num"], tables["wideOnly"])}>{attempts}</td>
      <td>
        <div className={styles["cell"]}>
          {again.error ? (
            <span className={styles["bad"]} role="alert">
              {again.error.message}
            </span>
          ) : (
            (problem ?? (status === null ? "" : `Status ${status}`))
          )}
          {nextAttemptAt !== null && (
            <div className={styles["muted"]}>
              {destination.paused ? (
                "It waits until the destination is resumed."
              ) : (
                <>
                  {attempts === 0 ? "It is sent: " : "Next attempt: "}
                  <Time at={nextAttemptAt} absolute />
                </>
              )}
            </div>
          )}
        </div>
      </td>
      <td className={classes(tables["num"], tables["faint"])}>
        <Time at={createdAt} />
      </td>
      <td className={tables["end"]}>
        {state === "failed" && place.canWrite && (
          <Button small busy={again.isPending} onClick={() => again.mutate()}>
            <RefreshCw size={14} aria-hidden />
            Send again
          </Button>
        )}
      </td>
    </tr>
  );
}

const HOUR_MS = 3_600_000;
const SINCE = [
  { value: "1", label: "In the last hour" },
  { value: "24", label: "In the last 24 hours" },
  { value: String(7 * 24), label: "In the last 7 days" },
  { value: String(30 * 24), label: "In the last 30 days" },
];

function SendAllAgain({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const place = usePlace();
  const showToast = useToast();
  const send = useMutation({
    mutationFn: (hours: number) =>
      place.client.destinations.sendAgain({
        projectId: place.projectId,
        destinationId: destination.id,
        since: new Date(Date.now() - hours * HOUR_MS).toISOString(),
      }),
    onSuccess: async ({ waiting }) => {
      await refresh(place, "destinations.list", "destinations.deliveries");
      showToast(
        waiting === 0
          ? "No event of this time has failed, so nothing is sent again."
          : destination.paused
            ? `${formatPlural(waiting, "event")} waiting until the destination is resumed.`
            : `Sending ${formatPlural(waiting, "event")} again.`,
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title="Send failed events again"
      lede={`${formatPlural(destination.failedCount, "event")} could not be sent. Send a test first: then you know that the receiver works.`}
      submit="Send again"
      errors={send.error ? formErrorsOf(send.error, []) : NO_ERRORS}
      busy={send.isPending}
      onSubmit={({ hours = "" }) => send.mutate(Number(hours))}
      onClose={onClose}
    >
      <Select label="Events that happened" name="hours" defaultValue={SINCE[3]!.value} options={SINCE} />
    </FormDialog>
  );
}
