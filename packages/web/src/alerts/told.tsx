import { DESTINATION_KINDS, type DestinationKind } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { DestinationDialog } from "../notifications/destination-dialog.tsx";
import { KINDS } from "../notifications/destination-words.ts";
import { destinationsQuery } from "../notifications/queries.ts";
import { SecretDialog } from "../notifications/secret-dialog.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Combobox } from "../ui/combobox.tsx";
import styles from "./alerts.module.css";

type ToldProps = {
  /** Empty: all destinations whose event types include alerts. */
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  onNew: (kind: DestinationKind) => void;
};

export function Told({ chosen, onChange, onNew }: ToldProps) {
  const { data: destinations = [] } = useQuery(destinationsQuery(usePlace()));
  const taking = destinations.filter(({ eventTypes }) => eventTypes.includes("alert.raised")).map(({ name }) => name);
  return (
    <div className={styles["told"]}>
      <Combobox
        label="Tell"
        multiple
        placeholder={taking.length === 0 ? "Nobody yet" : `All that take alerts: ${taking.join(", ")}`}
        options={destinations.map(({ id, name }) => ({ value: id, label: name }))}
        values={chosen}
        onChange={onChange}
      />
      <div className={styles["chips"]}>
        {DESTINATION_KINDS.map((kind) => (
          <Button key={kind} small aria-label={KINDS[kind].new} onClick={() => onNew(kind)}>
            <Plus size={14} aria-hidden />
            {KINDS[kind].name}
          </Button>
        ))}
      </div>
    </div>
  );
}

type NewDestinationProps = { kind: DestinationKind; onCreated: (id: string) => void; onClose: () => void };

export function NewDestination({ kind, onCreated, onClose }: NewDestinationProps) {
  const [made, setMade] = useState<{ name: string; secret: string }>();
  if (made !== undefined) return <SecretDialog {...made} onClose={onClose} />;
  return (
    <DestinationDialog
      of={kind}
      eventTypes={["alert.raised", "alert.cleared"]}
      onClose={onClose}
      onCreated={({ id, name }, secret) => {
        onCreated(id);
        if (secret === null) onClose();
        else setMade({ name, secret });
      }}
    />
  );
}
