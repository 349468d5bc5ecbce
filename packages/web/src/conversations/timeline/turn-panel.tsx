import type { Trace } from "@svc/contract";
import { Provenance } from "../../ui/chip.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatMs } from "../../ui/format.ts";
import { AnswerParts, barClass, PART_NAMES } from "./bars.tsx";
import { useTimeline } from "./context.tsx";
import type { TurnRow } from "./model.ts";
import { ModelCallsPart, ToolParts, VoicePart } from "./call-parts.tsx";
import { CallReportPart } from "./facts.tsx";
import { differenceText } from "./measures.ts";
import styles from "./panels.module.css";

/** The inspector's part about one turn: the time of its answer, its calls, and what the platform says about the call. */
export function TurnPanel({ turn: index }: { turn: number | undefined }) {
  const { model, toolFacts } = useTimeline();
  const { callReport, turns, speechCalls, modelCalls } = model.trace;
  const row = index === undefined ? undefined : model.turnRows[index];
  const report = callReport !== null && <CallReportPart report={callReport} />;
  if (row === undefined)
    return (
      <>
        <p className={styles["lede"]}>Select a turn to see its times and calls.</p>
        {report}
      </>
    );
  const { turn, answer } = row;
  const ofTurn = <Call extends { turnIndex: number | null }>(calls: readonly Call[], of: number | undefined = index) =>
    calls.filter(({ turnIndex }) => turnIndex === of);
  const question = answer?.question == null ? undefined : turns[answer.question];
  const heard = question === undefined ? [] : ofTurn(speechCalls, question.index);
  return (
    <>
      {turn.role === "agent" && <AnswerPart row={row} conversation={model.trace} />}
      <ToolParts key={turn.index} tools={row.tools} toolFacts={toolFacts} />
      <ModelCallsPart calls={ofTurn(modelCalls)} />
      <VoicePart calls={[...heard, ...ofTurn(speechCalls)]} confidence={question?.confidence ?? turn.confidence} />
      {report}
    </>
  );
}

function AnswerPart({ row: { answer, heardAnswerMs }, conversation }: { row: TurnRow; conversation: Trace }) {
  if (answer === null) {
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
      {heardAnswerMs !== null && (
        <p className={styles["beside"]}>
          The caller heard it after <strong>{formatMs(heardAnswerMs)}</strong>,{" "}
          {differenceText(heardAnswerMs - answer.ms, "ms")}. <Provenance provenance="heard" short />
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
