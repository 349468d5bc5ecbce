import type { ModelCall, SpeechCall, ToolCall, Trace } from "@svc/contract";
import { Wrench } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Provenance } from "../../ui/provenance.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatCount, formatMs, formatPlural } from "../../ui/format.ts";
import { AnswerParts, PART_NAMES } from "./answer-parts.tsx";
import { type Answer, answersOf } from "./answers.ts";
import { barClass } from "./bars.tsx";
import { CallReportPart } from "./call-report.tsx";
import { createClock } from "./clock.ts";
import styles from "./panels.module.css";
import { ValueBlock } from "./value-block.tsx";

const TOOLS_SHOWN = 12;

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
      {turn.role === "agent" && <AnswerPart answer={answer} conversation={conversation} />}
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

function AnswerPart({ answer, conversation }: { answer: Answer | undefined; conversation: Trace }) {
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
                      of it <UserText inline text={piece.label} />
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

type ToolPartsProps = { tools: { call: ToolCall; at: number }[]; toolFacts: ReadonlyMap<number, string> | undefined };

function ToolParts({ tools, toolFacts }: ToolPartsProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {(isWhole ? tools : tools.slice(0, TOOLS_SHOWN)).map(({ call, at }) => (
        <ToolPart key={at} call={call} fact={toolFacts?.get(at)} />
      ))}
      {!isWhole && tools.length > TOOLS_SHOWN && (
        <Button look="quiet" small onClick={() => setWhole(true)}>
          Show all {formatPlural(tools.length, "tool call")}
        </Button>
      )}
    </>
  );
}

function ToolPart({ call, fact }: { call: ToolCall; fact: string | undefined }) {
  return (
    <section>
      <h3 className={styles["title"]}>
        <Wrench size={14} aria-hidden />
        <code>
          <UserText inline text={call.name ?? "tool without a name"} />
        </code>
        {call.isError === true && <Chip tone="failed">Failed</Chip>}
        <span className={styles["end"]}>
          {[fact, call.durationMs === null ? undefined : formatMs(call.durationMs)].filter(Boolean).join(", ")}
        </span>
      </h3>
      {call.arguments !== null && <ValueBlock label="Arguments" value={call.arguments} />}
      {call.result !== null && <ValueBlock label="Result" value={call.result} />}
      {call.arguments === null && call.result === null && (
        <p className={styles["faint"]}>No arguments and no result are known.</p>
      )}
    </section>
  );
}

function ModelCallsPart({ calls }: { calls: readonly ModelCall[] }) {
  if (calls.length === 0) return null;
  return (
    <section>
      <h3 className={styles["title"]}>Model calls</h3>
      <table className={styles["parts"]}>
        <thead className="visually-hidden">
          <tr>
            <th>Model</th>
            <th>First token, else duration</th>
            <th>Tokens</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => [
            <tr key={call.spanId}>
              <td>
                <i className={barClass(call.isError === true ? "failed" : "model")} />
                <UserText inline text={call.model ?? "unknown model"} />
              </td>
              <td className={styles["number"]} title={call.timeToFirstTokenMs === null ? "Duration" : "First token"}>
                {firstOf(call.timeToFirstTokenMs, call.durationMs)}
              </td>
              <td className={styles["number"]}>
                <span className={styles["faint"]}>{tokensOf(call)}</span>
              </td>
            </tr>,
            <CallProblem key={`${call.spanId} error`} call={call} retries={call.retries ?? 0} />,
          ])}
        </tbody>
      </table>
    </section>
  );
}

function CallProblem({ call, retries }: { call: ModelCall | SpeechCall; retries: number }) {
  if (call.isError !== true && retries === 0) return null;
  const error = [call.error?.type, call.error?.message].filter(Boolean).join(": ");
  return (
    <tr className={styles["piece"]}>
      <td colSpan={3}>
        {retries > 0 && `${formatCount(retries)} repeated. `}
        {call.isError === true && <UserText inline text={error === "" ? "Failed." : error} />}
      </td>
    </tr>
  );
}

const firstOf = (firstMs: number | null, durationMs: number | null): string =>
  firstMs !== null ? formatMs(firstMs) : durationMs === null ? "–" : formatMs(durationMs);

const tokensOf = ({ inputTokens, outputTokens }: ModelCall): string =>
  inputTokens === null && outputTokens === null
    ? ""
    : `${inputTokens === null ? "?" : formatCount(inputTokens)} → ${outputTokens === null ? "?" : formatCount(outputTokens)} tok`;

function VoicePart({ calls, confidence }: { calls: readonly SpeechCall[]; confidence: number | null }) {
  if (calls.length === 0 && confidence === null) return null;
  return (
    <section>
      <h3 className={styles["title"]}>Recognition and voice</h3>
      <table className={styles["parts"]}>
        <tbody>
          {calls.map((call) => [
            <tr key={`${call.spanId} ${call.kind}`}>
              <td>
                {call.kind === "tts" ? "Spoken by " : "Recognised by "}
                <UserText inline text={call.model ?? call.provider ?? "an unknown model"} />
              </td>
              <td className={styles["number"]}>{call.audioMs === null ? "" : `${formatMs(call.audioMs)} audio`}</td>
            </tr>,
            <CallProblem key={`${call.spanId} error`} call={call} retries={0} />,
          ])}
          {confidence !== null && (
            <tr>
              <td>Confidence of the transcript</td>
              <td className={styles["number"]}>{Math.round(confidence * 100)}%</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
