import type { CallLine } from "@svc/contract";
import { lineConditionText, packetText, signallingStepText } from "@svc/contract/constants";
import type { ReactNode } from "react";
import styles from "./call-line.module.css";
import { formatMs, formatNumber } from "./format.ts";
import { KeyValues } from "./key-values.tsx";

type Step = CallLine["steps"][number];

const SIDES: Record<Step["by"], string> = { caller: "Caller", agent: "Agent’s side", outside: "Neither side" };

/** Signalling of a call as a ladder diagram between the two parties, with the numbers of its packets. */
export function CallLineView({ line }: { line: CallLine }) {
  const { steps, condition } = line;
  if (steps.length === 0 && condition !== null) return <KeyValues items={conditionItems(condition)} />;
  if (steps.length === 0) return <p className={styles["none"]}>The call was not placed, so it has no signalling.</p>;
  const startMs = Date.parse(steps[0]!.at);
  return (
    <div className={styles["line"]}>
      <ol className={styles["ladder"]} aria-label="Signalling of the call">
        <li className={styles["heads"]} aria-hidden>
          <span />
          <span>Caller</span>
          <span>Agent’s side</span>
        </li>
        {steps.map((step, at) => (
          <li key={at} className={styles["step"]} data-by={step.by}>
            <time dateTime={step.at}>{formatMs(Date.parse(step.at) - startMs)}</time>
            <div className={styles["rung"]}>
              <span className={styles["words"]}>
                <span className="visually-hidden">{SIDES[step.by]}: </span>
                {signallingStepText(step)}
              </span>
              <span className={styles["arrow"]} aria-hidden />
            </div>
          </li>
        ))}
      </ol>
      <KeyValues items={itemsOf(line)} />
    </div>
  );
}

function itemsOf({ received, sent, codec, roundTripMs, condition, estimatedMos }: CallLine): [string, ReactNode][] {
  return [
    ["Received", received === null ? "no packet" : packetText(received, "received")],
    ["Sent", sent === null ? "no packet" : packetText(sent, "sent")],
    ...(codec === null ? [] : [["Encoding", codec] as [string, string]]),
    ...(roundTripMs === null ? [] : [["Round trip", formatMs(roundTripMs)] as [string, string]]),
    ...(estimatedMos === null ? [] : [["MOS", `${formatNumber(estimatedMos)}, estimated`] as [string, string]]),
    ...(condition === null ? [] : conditionItems(condition)),
  ];
}

const conditionItems = ({ name, toAgent, fromAgent }: NonNullable<CallLine["condition"]>): [string, ReactNode][] => [
  ["Bad line", name],
  ["To the agent", lineConditionText(toAgent)],
  ["From the agent", lineConditionText(fromAgent)],
];
