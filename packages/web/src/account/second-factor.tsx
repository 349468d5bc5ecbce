import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { hasPasskeys } from "../passkeys.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./account.module.css";
import { AddPasskey, CodesOnce, EnableApp, type Factors, RemoveFactor, RenewCodes } from "./factor-dialogs.tsx";

const FEW_CODES = 3;

type Passkey = Factors["passkeys"][number];
type Action = { kind: "app" | "passkey" | "codes" | "remove-app" } | { kind: "remove-passkey"; passkey: Passkey };

export function SecondFactor() {
  const { data, error, refetch } = useQuery(factorsQuery);
  const [action, setAction] = useState<Action>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setAction(undefined);
  const done = async (fresh: readonly string[] | null = null) => {
    close();
    if (fresh !== null) setCodes(fresh);
    await queries.invalidateQueries(factorsQuery);
  };
  const has = data !== undefined && (data.authenticator || data.passkeys.length > 0);
  return (
    <Section title="Second factor">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data !== undefined && (
        <div className={styles["settings"]}>
          {has ? (
            <Notice kind={data.recovery_codes_left < FEW_CODES ? "warning" : "good"}>
              A sign-in with your password asks for {wordsOf(data)} too. {recoveryWords(data.recovery_codes_left)}
            </Notice>
          ) : (
            <p className={styles["text"]}>
              Your password alone opens this account. With an authenticator app or a passkey, whoever steals the
              password cannot sign in.
            </p>
          )}
          {data.passkeys.length > 0 && (
            <PasskeyTable
              passkeys={data.passkeys}
              onRemove={(passkey) => setAction({ kind: "remove-passkey", passkey })}
            />
          )}
          <div className={styles["buttons"]}>
            {!data.authenticator && (
              <Button onClick={() => setAction({ kind: "app" })}>Set up an authenticator app</Button>
            )}
            {hasPasskeys() && <Button onClick={() => setAction({ kind: "passkey" })}>Add a passkey</Button>}
            {has && <Button onClick={() => setAction({ kind: "codes" })}>Make new recovery codes</Button>}
            {data.authenticator && (
              <Button look="danger" onClick={() => setAction({ kind: "remove-app" })}>
                Remove the authenticator app
              </Button>
            )}
          </div>
          {!hasPasskeys() && (
            <p className={styles["text"]}>
              Passkeys need a browser that has them, and the service under HTTPS and a host name, or under localhost.
            </p>
          )}
          {action?.kind === "app" && <EnableApp factors={data} onDone={done} onClose={close} />}
          {action?.kind === "passkey" && <AddPasskey factors={data} onDone={done} onClose={close} />}
          {action?.kind === "codes" && <RenewCodes factors={data} onDone={done} onClose={close} />}
          {action?.kind === "remove-app" && (
            <RemoveFactor
              factors={data}
              title="Remove the authenticator app"
              remove={(shown) => clientOf().secondFactor.disable(shown)}
              onDone={done}
              onClose={close}
            />
          )}
          {action?.kind === "remove-passkey" && (
            <RemoveFactor
              factors={data}
              title={`Remove the passkey “${action.passkey.name}”`}
              remove={(shown) => clientOf().passkeys.remove({ passkey_id: action.passkey.id, ...shown })}
              onDone={done}
              onClose={close}
            />
          )}
        </div>
      )}
      {codes && <CodesOnce codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

const PasskeyTable = ({
  passkeys,
  onRemove,
}: {
  passkeys: readonly Passkey[];
  onRemove: (passkey: Passkey) => void;
}) => (
  <Table
    label="Passkeys"
    columns={[
      { head: "Passkey" },
      { head: "Added", numeric: true, wideOnly: true },
      { head: "Last used", numeric: true },
      { head: "" },
    ]}
  >
    {passkeys.map((passkey) => (
      <tr key={passkey.id}>
        <td className={styles["name"]}>
          <UserText inline text={passkey.name} />
        </td>
        <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
          <Time at={passkey.created_at} />
        </td>
        <td className={classes(tables["num"], styles["muted"])}>
          {passkey.last_used_at === null ? "Never" : <Time at={passkey.last_used_at} />}
        </td>
        <td className={tables["end"]}>
          <Button small look="danger" aria-label={`Remove ${passkey.name}`} onClick={() => onRemove(passkey)}>
            Remove
          </Button>
        </td>
      </tr>
    ))}
  </Table>
);

const wordsOf = ({ authenticator, passkeys }: Factors): string =>
  [authenticator && "a code of your authenticator app", passkeys.length > 0 && "a passkey"]
    .filter(Boolean)
    .join(" or ");

const recoveryWords = (left: number): string =>
  left === 0
    ? "No recovery code is left. Make new ones."
    : `${left} recovery ${left === 1 ? "code is" : "codes are"} left.`;

const factorsQuery = queryOptions({
  queryKey: ["secondFactor.get", "passkeys.list"],
  queryFn: async ({ signal }): Promise<Factors> => {
    const { secondFactor, passkeys } = clientOf();
    const [codes, keys] = await Promise.all([secondFactor.get({}, { signal }), passkeys.list({}, { signal })]);
    return { ...codes, ...keys };
  },
});
