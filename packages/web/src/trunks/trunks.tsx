import type { Trunk } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Phone, PhoneOff, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { trunksQuery } from "./queries.ts";
import { TrunkDialog } from "./trunk-dialog.tsx";
import styles from "./trunks.module.css";

const NUMBERS_SHOWN = 6;

type Shown = { name: "create" } | { name: "edit" | "delete"; trunk: Trunk };

export function Trunks() {
  const place = usePlace();
  const { data: trunks, error, refetch } = useQuery(trunksQuery(place));
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  const create = place.canWrite && (
    <Button look="primary" onClick={() => setShown({ name: "create" })}>
      <Plus size={16} aria-hidden />
      New trunk
    </Button>
  );
  return (
    <Page title="Trunks" actions={trunks !== undefined && trunks.length > 0 && create}>
      {error && <Failure error={error} again={refetch} />}
      {trunks === undefined && !error && <Skeleton rows={3} />}
      {trunks?.length === 0 && (
        <Empty icon={Phone} title="Call agents by telephone" action={create}>
          <p>
            A trunk is an account at a telephone carrier, or an exchange of your own, that takes calls over SIP. The
            service calls only the numbers that its allow-list has.
          </p>
        </Empty>
      )}
      {trunks !== undefined && trunks.length > 0 && (
        <Table
          label="Trunks"
          stacked
          columns={[
            { head: "Trunk", width: "28%" },
            { head: "May call" },
            { head: "Limits", width: "28%" },
            { head: <span className="visually-hidden">Actions</span> },
          ]}
        >
          {trunks.map((trunk) => (
            <Row key={trunk.id} trunk={trunk} onStep={(name) => setShown({ name, trunk })} />
          ))}
        </Table>
      )}
      {shown?.name === "create" && <TrunkDialog onClose={close} />}
      {shown?.name === "edit" && <TrunkDialog trunk={shown.trunk} onClose={close} />}
      {shown?.name === "delete" && <DeleteTrunk trunk={shown.trunk} onClose={close} />}
    </Page>
  );
}

type RowProps = { trunk: Trunk; onStep: (step: "edit" | "delete") => void };

function Row({ trunk, onStep }: RowProps) {
  const { canWrite } = usePlace();
  const { name, address, callerId, maxCallSeconds, callsPerMinute, callsPerDay, callsInLastDay } = trunk;
  return (
    <tr>
      <td className={tables["name"]}>
        <div className={styles["cell"]}>
          <UserText inline text={name} />
          <div className={styles["muted"]}>
            <bdi>{address}</bdi>, calls as <bdi>{callerId}</bdi>
          </div>
        </div>
      </td>
      <td>
        <div className={styles["cell"]}>
          <Allowed numbers={trunk.allowedNumbers} />
        </div>
      </td>
      <td>
        <div className={styles["cell"]}>
          {formatCount(callsInLastDay)} of {formatPlural(callsPerDay, "call")} in 24 hours
          <div className={styles["muted"]}>
            at most {maxCallSeconds} s each, {callsPerMinute} in a minute
          </div>
        </div>
      </td>
      {canWrite && (
        <td className={tables["end"]}>
          <div className={styles["actions"]}>
            <Menu label={`More about ${name}`} small>
              <MenuItem icon={Pencil} onSelect={() => onStep("edit")}>
                Edit
              </MenuItem>
              <MenuItem icon={Trash2} danger onSelect={() => onStep("delete")}>
                Delete
              </MenuItem>
            </Menu>
          </div>
        </td>
      )}
    </tr>
  );
}

function Allowed({ numbers }: { numbers: readonly string[] }) {
  if (numbers.length === 0)
    return (
      <>
        <Chip tone="warning" icon={PhoneOff}>
          Calls nobody
        </Chip>
        <div className={styles["muted"]}>Add the numbers of your agents to its allow-list.</div>
      </>
    );
  const more = numbers.length - NUMBERS_SHOWN;
  return (
    <div className={styles["numbers"]}>
      {numbers.slice(0, NUMBERS_SHOWN).map((number) => (
        <code key={number}>{number}</code>
      ))}
      {more > 0 && <span className={styles["muted"]}>and {formatCount(more)} more</span>}
    </div>
  );
}

function DeleteTrunk({ trunk, onClose }: { trunk: Trunk; onClose: () => void }) {
  const place = usePlace();
  return (
    <ConfirmDialog
      title={
        <>
          Delete the trunk “<bdi>{trunk.name}</bdi>”?
        </>
      }
      action="Delete trunk"
      act={async () => {
        await place.client.trunks.delete({ projectId: place.projectId, trunkId: trunk.id });
        await refresh(place, "trunks.list");
      }}
      onClose={onClose}
    >
      Its password is deleted too. Connections that name it stay, and cannot be called until they name another one.
    </ConfirmDialog>
  );
}
