import type { Answer, Operations } from "@svc/sdk";
import { LIMITS } from "@svc/contract/constants";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formatMs } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure } from "../ui/notice.tsx";
import type { Connection } from "./connection-draft.ts";
import { UserText } from "../ui/user-text.tsx";
import styles from "./agents.module.css";

export type ConnectionTry = Answer<Operations["connections"]["try"]>;

/** Lets a person talk to an agent in writing. The conversation ends when the component goes. */
export function Talk({ connection: { agentId, id } }: { connection: Connection }) {
  const { client, projectId } = usePlace();
  const [parts, setParts] = useState<ConnectionTry[]>([]);
  const [message, setMessage] = useState("");
  const conversationId = useRef<string>(undefined);
  const ids = { projectId, agentId, connectionId: id };
  const say = useMutation({
    mutationFn: () =>
      client.connections.try({ ...ids, message, staysOpen: true, conversationId: conversationId.current }),
    onSuccess(part) {
      const isNew = conversationId.current === undefined;
      conversationId.current = part.openConversation?.id;
      setParts(isNew ? [part] : [...parts, part]);
      setMessage("");
    },
    onError: () => (conversationId.current = undefined),
  });
  useEffect(
    () => () => {
      if (conversationId.current === undefined) return;
      // A conversation that this request does not reach ends by itself.
      client.connections.try({ ...ids, conversationId: conversationId.current }).catch(() => {});
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [],
  );
  const last = parts.at(-1);
  return (
    <form
      className={styles["fields"]}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (message.trim() !== "" && !say.isPending) say.mutate();
      }}
    >
      {parts.length > 0 && (
        <div role="log" aria-label="Conversation" className={styles["fields"]}>
          {parts.map((part) => (
            <Spoken key={part.startedAt} {...part} />
          ))}
          {last?.result === "fails" && (
            <p className={styles["muted"]}>
              <UserText inline text={last.message} />
            </p>
          )}
          {last?.result === "works" && last.openConversation === null && (
            <p className={styles["muted"]}>The conversation has ended. A further message begins another.</p>
          )}
        </div>
      )}
      {say.error && <Failure error={say.error} />}
      <TextField
        label="Say something to the agent"
        help={parts.length === 0 ? "Your first message begins a new conversation." : undefined}
        value={message}
        maxLength={LIMITS.connectionTryCharacters}
        onChange={({ target }) => setMessage(target.value)}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" busy={say.isPending}>
          Say
        </Button>
      </div>
    </form>
  );
}

export const Spoken = ({ turns, toolCalls }: Pick<ConnectionTry, "turns" | "toolCalls">) => (
  <>
    {turns.length > 0 && (
      <KeyValues
        items={turns.map(({ role, text }) => [
          role === "agent" ? "Agent" : "Caller",
          text === null ? "Speech, words unknown" : <UserText inline text={text} />,
        ])}
      />
    )}
    {toolCalls.length > 0 && (
      <KeyValues items={toolCalls.map((call, at) => [`Tool ${call.name}`, <ToolOutcome key={at} {...call} />])} />
    )}
  </>
);

const ToolOutcome = ({ arguments: given, mocked, error, durationMs }: ConnectionTry["toolCalls"][number]) => (
  <>
    <UserText inline text={error ?? (mocked ? "Mocked" : "Answered")} /> after {formatMs(durationMs)}, given{" "}
    <code>
      <UserText inline text={given} />
    </code>
  </>
);
