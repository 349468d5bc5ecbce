import type { ModelCall, SpeechCall, ToolCall } from "@svc/contract";
import { Wrench } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { formatCount, formatMs, formatPlural } from "../../ui/format.ts";
import { UserText } from "../../ui/user-text.tsx";
import type { TurnRow } from "./model.ts";
import styles from "./panels.module.css";
import { barClass } from "./bars.tsx";
import { shownText } from "../shown-text.ts";

const TOOLS_SHOWN = 12;
const FOLDED_CHARACTERS = 4_000;

type ToolPartsProps = { tools: TurnRow["tools"]; toolFacts: ReadonlyMap<number, string> | undefined };

export function ToolParts({ tools, toolFacts }: ToolPartsProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {(isWhole ? tools : tools.slice(0, TOOLS_SHOWN)).map(({ call, index }) => (
        <ToolPart key={index} call={call} fact={toolFacts?.get(index)} />
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

export function ModelCallsPart({ calls }: { calls: readonly ModelCall[] }) {
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

export function VoicePart({ calls, confidence }: { calls: readonly SpeechCall[]; confidence: number | null }) {
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

export function ValueBlock({ label, value }: { label?: string; value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(
    () => shownText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")),
    [value],
  );
  const isLong = text.length > FOLDED_CHARACTERS;
  return (
    <div>
      {label !== undefined && <div className={styles["label"]}>{label}</div>}
      <pre className={styles["code"]} tabIndex={0} dir="auto">
        {isLong && !isWhole ? `${text.slice(0, FOLDED_CHARACTERS)}…` : text}
      </pre>
      {isLong && (
        <Button look="quiet" small onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}
