import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { forgetSignIn } from "../shell/signed-in-before.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./account.module.css";
import { RevokeKeys, revokedWords } from "../revoke-keys.tsx";

const BROWSERS: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/\b(iPhone|iPad|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

export function Sessions() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const session_id of ids) await clientOf().accounts.revokeSession({ session_id });
    },
    onSettled: () => queries.invalidateQueries(sessionsQuery),
  });
  const [everywhere, setEverywhere] = useState(false);
  const others = data?.sessions.filter(({ current }) => !current) ?? [];
  return (
    <Section
      title="Sessions"
      action={
        <div className={styles["buttons"]}>
          {others.length > 1 && (
            <Button small look="danger" busy={end.isPending} onClick={() => end.mutate(others.map(({ id }) => id))}>
              Sign out all others
            </Button>
          )}
          <Button small look="danger" onClick={() => setEverywhere(true)}>
            Sign out everywhere
          </Button>
        </div>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {end.error && <Failure error={end.error} />}
      {data === undefined && !error && <Skeleton rows={3} />}
      {data !== undefined && (
        <Table
          label="Sessions"
          columns={[
            { head: "Program" },
            { head: "Signed in", numeric: true },
            { head: "Ends", numeric: true, wideOnly: true },
            { head: "" },
          ]}
        >
          {data.sessions.map(({ id, current, user_agent, created_at, expires_at }) => (
            <tr key={id}>
              <td className={styles["name"]} title={user_agent ?? undefined}>
                {userAgentWords(user_agent)}
              </td>
              <td className={classes(tables["num"], styles["muted"])}>
                <Time at={created_at} />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                <Time at={expires_at} />
              </td>
              <td className={tables["end"]}>
                {current ? (
                  <Chip>This one</Chip>
                ) : (
                  <Button small look="danger" busy={end.isPending} onClick={() => end.mutate([id])}>
                    Sign out
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {everywhere && <SignOutEverywhere onClose={() => setEverywhere(false)} />}
    </Section>
  );
}

function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const [keys, setKeys] = useState(false);
  const [revoked, setRevoked] = useState<number>();
  const toSignIn = () => {
    forgetSignIn();
    location.assign("/sign-in");
  };
  if (revoked !== undefined)
    return (
      <Dialog
        title="You are signed out everywhere"
        footer={
          <Button look="primary" onClick={toSignIn}>
            Sign in again
          </Button>
        }
      >
        <p>All your sessions have ended.{revokedWords(revoked)}</p>
      </Dialog>
    );
  return (
    <ConfirmDialog
      title="Sign out everywhere"
      action="Sign out everywhere"
      act={() => clientOf().accounts.revokeSessions({ revoke_keys: keys })}
      onDone={({ revoked_keys }) => setRevoked(revoked_keys)}
      onClose={onClose}
    >
      <p>All your sessions end at once, this one too.</p>
      <RevokeKeys checked={keys} onChange={({ target }) => setKeys(target.checked)} />
    </ConfirmDialog>
  );
}

const nameIn = (names: typeof BROWSERS, text: string) => names.find(([pattern]) => pattern.test(text))?.[1];

export function userAgentWords(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "A program without a name";
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

export const sessionsQuery = queryOptions({
  queryKey: ["accounts.listSessions"],
  queryFn: ({ signal }) => clientOf().accounts.listSessions({}, { signal }),
});
