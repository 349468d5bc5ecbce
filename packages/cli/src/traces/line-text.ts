import { type CallLine, lineConditionText, packetText, signallingStepText } from "@svc/contract";
import { paint } from "../terminal/output.ts";

const PARTIES = { caller: "caller", agent: "agent", outside: "line" } as const;
const ARROWS = { caller: "→", agent: "←", outside: "×" } as const;

export function lineLines(line: CallLine | null, indent = ""): string[] {
  if (line === null) return [];
  const { steps, codec, received, sent, roundTripMs, condition, estimatedMos } = line;
  const bad =
    condition === null
      ? []
      : [
          `bad line  ${condition.name}, to the agent ${lineConditionText(condition.toAgent)}`,
          `          from the agent ${lineConditionText(condition.fromAgent)}`,
        ];
  if (steps.length === 0) return bad.map((text) => indent + text);
  const startMs = Date.parse(steps[0]!.at);
  const ladder = steps.map((step) => {
    const ms = `${Date.parse(step.at) - startMs} ms`.padStart(9);
    return `${paint.dim(ms)}  ${PARTIES[step.by].padEnd(6)} ${ARROWS[step.by]} ${signallingStepText(step)}`;
  });
  const quality = [
    ...(codec === null ? [] : [codec]),
    ...(roundTripMs === null ? [] : [`round trip ${roundTripMs.toFixed(1)} ms`]),
    ...(estimatedMos === null ? [] : [`MOS ${estimatedMos.toFixed(2)}, estimated`]),
  ];
  const packets = [
    `received  ${received === null ? "no packet" : packetText(received, "received")}`,
    `sent      ${sent === null ? "no packet" : packetText(sent, "sent")}`,
    ...(quality.length === 0 ? [] : [`line      ${quality.join(", ")}`]),
  ];
  return [...ladder, ...packets, ...bad].map((text) => indent + text);
}
