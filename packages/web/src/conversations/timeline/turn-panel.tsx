import type { Trace } from "@svc/contract";
import { useMemo } from "react";
import { Provenance } from "../../ui/provenance.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatMs } from "../../ui/format.ts";
import { AnswerParts, barClass, PART_NAMES } from "./bars.tsx";
import { type Answer, answersOf, samplesByTurn } from "./answers.ts";
import { ModelCallsPart, ToolParts, VoicePart } from "./call-parts.tsx";
import { CallReportPart } from "./facts.tsx";
import { createClock } from "./axis.ts";
import { differenceText } from "./measures.ts";
import styles from "./panels.module.css";

type TurnPanelProps = { conversation: Trace; turn: number | undefined; toolFacts?: ReadonlyMap<number, string> };

/** The inspector's part about one turn: the time of its answer, its calls, and what the platform says about the call. */
export function TurnPanel({ conversation, turn: index, toolFacts }: TurnPanelProps) {
  const answers = useMemo(() => answersOf(conversation, createClock(conversation)), [conversation]);
  const { callReport } = conversation;
  const turn = index === undefined ? undefined : conversation.turns[index];
  if (turn === undefined)
    return (
      <>
        <p className={styles["lede"]}>Select a turn to see its times and calls.</p>
        {callReport !== null && <CallReportPart report={callReport} />}
      </>
    );
  const ofTurn = <Call extends { turnIndex: number | null }>(calls: readonly Call[]) =>
    calls.filter(({ turnIndex }) => turnIndex === index);
  const answer = answers.get(turn.index);
  const question =
    answer?.question === undefined || answer.question === null ? undefined : conversation.turns[answer.question];
  const heard = conversation.speechCalls.filter(
    ({ turnIndex }) => question !== undefined && turnIndex === question.index,
  );
  const tools = conversation.toolCalls.flatMap((call, at) => (call.turnIndex === index ? [{ call, at }] : []));
  return (
    <>
      {turn.role === "agent" && (
        <AnswerPart
          answer={answer}
          heardMs={samplesByTurn(conversation, "heard_response_latency").get(turn.index)?.value}
          conversation={conversation}
        />
      )}
      <ToolParts key={turn.index} tools={tools} toolFacts={toolFacts} />
      <ModelCallsPart calls={ofTurn(conversation.modelCalls)} />
      <VoicePart
        calls={[...heard, ...ofTurn(conversation.speechCalls)]}
        confidence={question?.confidence ?? turn.confidence}
      />
      {callReport !== null && <CallReportPart report={callReport} />}
    </>
  );
}

type AnswerPartProps = {
  answer: Answer | undefined;
  /** The time of the answer as the caller heard it. */
  heardMs: number | undefined;
  conversation: Trace;
};

function AnswerPart({ answer, heardMs, conversation }: AnswerPartProps) {
  if (answer === undefined) {
    const isOfCall = conversation.measures.some(
      ({ name, samples }) =>
        name === "response_latency" && samples.length > 0 && samples.every(({ turnIndex }) => turnIndex === null),
    );
    return isOfCall ? (
      <section>
        <h3 className={styles["title"]}>Time to answer</h3>
        <p className={styles["lede"]}>
          The platform reports answer times of the whole call, not of each turn. See Measures.
        </p>
      </section>
    ) : null;
  }
  const [number, unit] = formatMs(answer.ms).split(/ (?=\S+$)/);
  return (
    <section>
      <h3 className={styles["title"]}>
        Time to answer
        <span className={styles["end"]}>
          <Provenance provenance={answer.provenance} />
        </span>
      </h3>
      <div className={styles["figure"]}>
        {number}
        <small>{unit}</small>
      </div>
      {heardMs !== undefined && answer.provenance !== "heard" && (
        <p className={styles["beside"]}>
          The caller heard it after <strong>{formatMs(heardMs)}</strong>, {differenceText(heardMs - answer.ms, "ms")}.{" "}
          <Provenance provenance="heard" short />
        </p>
      )}
      {answer.parts.length > 0 && (
        <>
          <AnswerParts parts={answer.parts} />
          <table className={styles["parts"]}>
            <tbody>
              {answer.parts.map(({ kind, ms, pieces }) => [
                <tr key={kind}>
                  <td>
                    <i className={barClass(kind)} />
                    {PART_NAMES[kind]}
                  </td>
                  <td className={styles["number"]}>{formatMs(ms)}</td>
                </tr>,
                ...pieces.map((piece, at) => (
                  <tr key={`${kind} ${at}`} className={styles["piece"]}>
                    <td>
                      of which <UserText inline text={piece.label} />
                    </td>
                    <td className={styles["number"]}>{formatMs(piece.ms)}</td>
                  </tr>
                )),
              ])}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
