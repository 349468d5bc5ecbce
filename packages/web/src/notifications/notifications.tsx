import { type DestinationKind, DESTINATION_KINDS } from "@svc/contract/constants";
import type { Destination } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bell, Hash, type LucideIcon, Mail, Plus, Webhook } from "lucide-react";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatPlural } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useToast } from "../ui/toast.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DestinationDialog } from "./destination-dialog.tsx";
import { KINDS } from "./destination-words.ts";
import { DestinationsTable, type Step } from "./destinations-table.tsx";
import { EventsTable } from "./events-table.tsx";
import styles from "./notifications.module.css";
import { destinationsQuery } from "./queries.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/notifications");

const ICONS: Record<DestinationKind, LucideIcon> = { webhook: Webhook, slack: Hash, email: Mail };

type Shown = Step | { name: "create"; kind: DestinationKind } | { name: "secret"; of: string; secret: string };

export function Notifications() {
  const place = usePlace();
  const { destination: selected } = route.useSearch();
  const { data: destinations, error, refetch } = useQuery(destinationsQuery(place));
  const [shown, setShown] = useState<Shown>();
  const showToast = useToast();
  const close = () => setShown(undefined);
  const isEmpty = destinations?.length === 0;
  const of = destinations?.find(({ id }) => id === selected);
  return (
    <Page
      title="Notifications"
      actions={
        destinations !== undefined &&
        !isEmpty &&
        place.canWrite && (
          <Menu
            trigger={
              <Button look="primary">
                <Plus size={16} aria-hidden />
                New destination
              </Button>
            }
          >
            {DESTINATION_KINDS.map((kind) => (
              <MenuItem key={kind} icon={ICONS[kind]} onSelect={() => setShown({ name: "create", kind })}>
                {KINDS[kind].name}
              </MenuItem>
            ))}
          </Menu>
        )
      }
    >
      <div className={styles["parts"]}>
        {error && <Failure error={error} again={refetch} />}
        {destinations === undefined && !error && <Skeleton rows={3} />}
        {isEmpty && <NoDestination onCreate={(kind) => setShown({ name: "create", kind })} />}
        {destinations !== undefined && !isEmpty && (
          <Section title="Destinations" note="They get events as they happen">
            <DestinationsTable destinations={destinations} onStep={setShown} />
          </Section>
        )}
        {of !== undefined && <Deliveries key={of.id} destination={of} />}
        <EventsTable />
      </div>
      {(shown?.name === "create" || shown?.name === "edit") && (
        <DestinationDialog
          of={shown.name === "create" ? shown.kind : shown.destination}
          onClose={close}
          onCreated={({ name }, secret) => {
            setShown(secret === null ? undefined : { name: "secret", of: name, secret });
            if (secret === null) showToast(`“${name}” gets the next event. Send a test to see whether it works.`);
          }}
        />
      )}
      {shown?.name === "secret" && <SecretDialog name={shown.of} secret={shown.secret} onClose={close} />}
      {shown?.name === "rotate" && (
        <NewSecret
          destination={shown.destination}
          onDone={(secret) => setShown({ name: "secret", of: shown.destination.name, secret })}
          onClose={close}
        />
      )}
      {shown?.name === "delete" && <DeleteDestination destination={shown.destination} onClose={close} />}
    </Page>
  );
}

function NoDestination({ onCreate }: { onCreate: (kind: DestinationKind) => void }) {
  const { canWrite } = usePlace();
  return (
    <Empty
      icon={Bell}
      title="Hear of it when something ends or fails"
      action={
        canWrite &&
        DESTINATION_KINDS.map((kind) => {
          const Icon = ICONS[kind];
          return (
            <Button key={kind} onClick={() => onCreate(kind)}>
              <Icon size={16} aria-hidden />
              {KINDS[kind].name}
            </Button>
          );
        })
      }
    >
      <p>
        The service tells a program, a channel or a person when a run has ended, a conversation has failed, or a call
        could not be imported.
      </p>
    </Empty>
  );
}

type NewSecretProps = { destination: Destination; onDone: (secret: string) => void; onClose: () => void };

function NewSecret({ destination, onDone, onClose }: NewSecretProps) {
  const { client, projectId } = usePlace();
  return (
    <ConfirmDialog
      title={
        <>
          Make a new secret for “<bdi>{destination.name}</bdi>”?
        </>
      }
      action="Make a new secret"
      act={() => client.destinations.rotateSecret({ projectId, destinationId: destination.id })}
      onDone={({ secret }) => onDone(secret)}
      onClose={onClose}
    >
      For 24 hours both secrets sign each event. Change the secret of the receiver within this time.
    </ConfirmDialog>
  );
}

function DeleteDestination({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const place = usePlace();
  const left = destination.waitingCount + destination.failedCount;
  return (
    <ConfirmDialog
      title={
        <>
          Delete the destination “<bdi>{destination.name}</bdi>”?
        </>
      }
      action="Delete destination"
      act={async () => {
        await place.client.destinations.delete({ projectId: place.projectId, destinationId: destination.id });
        await refresh(place, "destinations.list");
      }}
      onClose={onClose}
    >
      It gets no more events{left > 0 && `, also not the ${formatPlural(left, "event")} that it has not got yet`}. Its
      deliveries are deleted; what happened stays in the list of events.
    </ConfirmDialog>
  );
}
