import type { Simulation } from "@svc/contract";
import said from "../conversations/timeline/said.module.css";
import { formatTimeOfDay } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Elapsed } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { NoticeButton } from "./end-notice.tsx";
import styles from "./simulation.module.css";
import type { Progress } from "./use-simulation-events.ts";

type UnderWayProps = { simulation: Simulation; turns: Progress["turns"] };

/** A simulation before its conversation is stored: where it stands, and the words so far. */
export function UnderWay({ simulation, turns }: UnderWayProps) {
  const { startedAt, endedAt } = simulation;
  return (
    <section className={styles["underWay"]} aria-label="Conversation so far">
      <div className={styles["standing"]}>
        <h2>{standingOf(simulation)}</h2>
        {startedAt !== null && endedAt === null && <Elapsed since={startedAt} />}
        {endedAt === null && <NoticeButton />}
      </div>
      <div role="log" aria-label="Transcript so far">
        <ol>
          {turns.map(({ seq, at, role, text }) => (
            <li key={seq}>
              <span className={said[role === "caller" ? "whoUser" : "whoAgent"]}>
                {role === "caller" ? "Caller" : "Agent"}
              </span>
              <time dateTime={at}>{formatTimeOfDay(at)}</time>
              {text === null ? (
                <p className={styles["faint"]}>Spoke; the words are not known yet.</p>
              ) : (
                <p className={said["words"]}>
                  <UserText text={text} />
                </p>
              )}
            </li>
          ))}
        </ol>
      </div>
      {turns.length === 0 && startedAt !== null && endedAt === null && <p>Nothing was said so far.</p>}
    </section>
  );
}

function standingOf({ status, queuePosition, endedAt }: Simulation): string {
  if (endedAt !== null) return "The conversation is over and is being graded";
  if (queuePosition !== null) return `Place ${queuePosition} in the run’s queue`;
  return status === "running" ? "Under way" : "It begins";
}

/** Why earlier attempts ended. */
export function Interruptions({ interruptions }: Pick<Progress, "interruptions">) {
  return interruptions.map(({ seq, at, why }) => (
    <Notice key={seq} kind="info">
      {formatTimeOfDay(at)} <UserText inline text={why} />
    </Notice>
  ));
}
