import type { CallLine, PacketCounts, SignallingStep } from "@svc/contract";
import { LINE_CONDITIONS, SIGNALLING_PARTIES, SIGNALLING_STEPS } from "@svc/contract/constants";
import type { StoredSpan } from "../stored-span.ts";
import { countOf, numberOf, textOf } from "./attribute-values.ts";
import {
  conditionKey,
  isLineStep,
  LINE_KEYS,
  packetKey,
  SIMULATION_SCOPE,
  SIMULATION_SPANS,
} from "./simulation-names.ts";

/** Largest number of signalling steps that are read. Real calls have far fewer. */
const STEPS_MAX = 50;

export function callLineOf(spans: readonly StoredSpan[]): CallLine | null {
  const steps = spans.filter(isLineStep).slice(0, STEPS_MAX).flatMap(stepOf);
  const root = spans.find(({ scopeName, name }) => scopeName === SIMULATION_SCOPE && name === SIMULATION_SPANS.root);
  const attributes = root?.attributes ?? {};
  const condition = conditionOf(attributes);
  if (steps.length === 0 && condition === null) return null;
  return {
    steps,
    codec: textOf(attributes[LINE_KEYS.codec]),
    received: packetsOf(attributes, "received"),
    sent: packetsOf(attributes, "sent"),
    roundTripMs: amountOf(attributes[LINE_KEYS.roundTripMs]),
    condition,
    estimatedMos: amountOf(attributes[LINE_KEYS.estimatedMos]),
  };
}

function stepOf({ attributes, startNs }: StoredSpan): SignallingStep[] {
  const step = SIGNALLING_STEPS.find((one) => one === attributes[LINE_KEYS.step]);
  const by = SIGNALLING_PARTIES.find((one) => one === attributes[LINE_KEYS.by]);
  if (step === undefined || by === undefined) return [];
  const at = new Date(Number(startNs / 1_000_000n)).toISOString();
  return [{ step, at, by, status: countOf([attributes[LINE_KEYS.status]]) }];
}

function packetsOf(attributes: StoredSpan["attributes"], direction: "received" | "sent"): PacketCounts | null {
  const count = (name: keyof PacketCounts) => countOf([attributes[packetKey(direction, name)]]);
  const packets = count("packets");
  if (packets === null) return null;
  return {
    packets,
    lost: count("lost"),
    late: count("late"),
    jitterMs: amountOf(attributes[packetKey(direction, "jitterMs")]),
    jitterMaxMs: amountOf(attributes[packetKey(direction, "jitterMaxMs")]),
  };
}

function conditionOf(attributes: StoredSpan["attributes"]): CallLine["condition"] {
  const name = LINE_CONDITIONS.find((one) => one === attributes[LINE_KEYS.condition]);
  if (name === undefined) return null;
  const count = (direction: "toAgent" | "fromAgent", what: "packets" | "lost" | "late") =>
    countOf([attributes[conditionKey(direction, what)]]) ?? 0;
  const countsOf = (direction: "toAgent" | "fromAgent") => ({
    packets: count(direction, "packets"),
    lost: count(direction, "lost"),
    late: count(direction, "late"),
  });
  return { name, toAgent: countsOf("toAgent"), fromAgent: countsOf("fromAgent") };
}

function amountOf(value: unknown): number | null {
  const amount = numberOf(value);
  return amount === null || amount < 0 ? null : amount;
}
