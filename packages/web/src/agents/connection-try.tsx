import { awaitedNumberOf, LIMITS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { CallLineView } from "../ui/call-line.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./agents.module.css";
import type { Connection } from "./connection-draft.ts";
import { connectionOptionsQuery, connectionTryQuery } from "./queries.ts";
import { type ConnectionTry, Spoken, Talk } from "./talk.tsx";

const KINDS = { works: "good", fails: "failed", not_tried: "info" } as const;

const LABELS: Record<Step["step"], string> = {
  prepare: "Prepare",
  connect: "Connect",
  greeting: "Greeting",
  answer: "Answer",
  hang_up: "Hang up",
};

type ConnectionTryProps = { connection: Connection; isNew: boolean; onClose: () => void };

export function ConnectionTryDialog({ connection, isNew, onClose }: ConnectionTryProps) {
  const place = usePlace();
  const [count, setCount] = useState(1);
  const { data, error } = useQuery(connectionTryQuery(place, connection, count));
  const { data: types } = useQuery(connectionOptionsQuery(place));
  const awaited = awaitedNumberOf(connection);
  const ofType = types?.connectionOptions.find(({ connectionType }) => connectionType === connection.connectionType);
  const isInWriting = ofType?.plays.text === true;
  const isOver = data !== undefined || error !== null;
  return (
    <Dialog
      title={`Try “${connection.name}”`}
      lede={isNew ? "The connection is added. Its try changes nothing." : undefined}
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
          {data?.result !== "not_tried" && (
            <Button busy={!isOver} onClick={() => setCount(count + 1)}>
              Try again
            </Button>
          )}
        </>
      }
    >
      {error && <Failure error={error} />}
      {!isOver && (
        <div role="status">
          {awaited === undefined ? (
            <p>The service holds one short conversation with the agent. This takes at most half a minute.</p>
          ) : (
            <p>
              Let the agent call <bdi>{awaited}</bdi> now. The service waits for {LIMITS.connectionTryWaitSeconds}{" "}
              seconds at most, and then holds one short conversation.
            </p>
          )}
          <Skeleton rows={3} />
        </div>
      )}
      {data && <TryResult tried={data} />}
      {data?.result === "works" && isInWriting && <Talk connection={connection} />}
    </Dialog>
  );
}

function TryResult({ tried }: { tried: ConnectionTry }) {
  const { result, message, steps, turns, toolCalls, sound, line } = tried;
  return (
    <div className={styles["fields"]}>
      <Notice kind={KINDS[result]}>
        <UserText inline text={message} />
      </Notice>
      {steps.length > 0 && <KeyValues items={steps.map((step) => [stepLabel(step), stepText(step)])} />}
      <Spoken turns={turns} toolCalls={toolCalls} />
      {sound && <p className={styles["muted"]}>{soundSentence(sound)}</p>}
      {line && <CallLineView line={line} />}
    </div>
  );
}

type Step = ConnectionTry["steps"][number];

const stepLabel = ({ step }: Step): string => LABELS[step];

function stepText({ result, durationMs, message }: Step): string {
  const duration = durationMs === null ? "" : `, ${durationMs} ms`;
  if (result === "done") return `Done${duration}`;
  return result === "failed" ? `Failed${duration}` : (message ?? "Skipped");
}

function soundSentence({ firstSoundMs, agentSpeechMs, isTimingReliable }: NonNullable<ConnectionTry["sound"]>): string {
  if (firstSoundMs === null) return "No speech of the agent was heard.";
  const doubt = isTimingReliable ? "" : " The service was busy, so these times are not reliable.";
  return `Heard ${agentSpeechMs} ms of speech, the first after ${firstSoundMs} ms.${doubt}`;
}
