import { useMutation, useQuery } from "@tanstack/react-query";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./account.module.css";
import { sessionsQuery } from "./queries.ts";
import { userAgentWords } from "./user-agent.ts";

/** The person's sessions; each of the others can be ended, and all of them at once. */
export function Sessions() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const session_id of ids) await clientOf().accounts.revokeSession({ session_id });
    },
    onSettled: () => queries.invalidateQueries(sessionsQuery),
  });
  const others = data?.sessions.filter(({ current }) => !current) ?? [];
  return (
    <Section
      title="Sessions"
      action={
        others.length > 1 && (
          <Button small look="danger" busy={end.isPending} onClick={() => end.mutate(others.map(({ id }) => id))}>
            Sign out all others
          </Button>
        )
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
    </Section>
  );
}
