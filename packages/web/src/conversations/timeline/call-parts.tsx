import type { ModelCall, SpeechCall } from "@svc/contract";
import { formatCount, formatMs } from "../../ui/format.ts";
import { UserText } from "../../ui/user-text.tsx";
import { barClass } from "./bars.tsx";
import styles from "./panels.module.css";

/** The requests to language models of one turn. */
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

/** The recognition of the caller's words and the synthesis of the agent's. */
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
