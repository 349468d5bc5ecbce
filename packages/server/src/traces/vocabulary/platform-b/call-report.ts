import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, milliseconds, textOf } from "../attribute-values.ts";
import type { CallReport } from "../vocabulary.ts";

/** Stages from the offer of a job until the worker's code runs. `dispatch` is the sum of the other stages. */
const STAGES = ["accept", "assignment", "launch", "entrypoint", "dispatch"];
/** Keys with the result of the framework's answering-machine detection: its decision, the reason, and the transcript. */
const DETECTION = ["lk.amd.category", "lk.amd.reason", "lk.pii.amd.transcript"];

/**
 * Returns the framework's report on the whole call. LiveKit Agents for Python sends `lk.sip.*`, `lk.amd.*` and `lk.job.*_latency` since
 * version 1.8.
 */
export function callReport(spans: readonly StoredSpan[]): CallReport | undefined {
  const first = (isKey: (key: string) => boolean) =>
    spans.find(({ attributes }) => Object.keys(attributes).some(isKey))?.attributes;
  const sip = first((key) => key.startsWith("lk.sip."));
  const machine = first((key) => key === "lk.amd.category");
  const latencies = latenciesOf(first((key) => /^lk\.job\.\w+_latency$/.test(key)) ?? {});
  if (sip === undefined && machine === undefined && latencies.length === 0) return undefined;
  return {
    ...NOTHING_REPORTED,
    ...(sip && telephoneCall(sip)),
    verdicts: DETECTION.flatMap((key) => {
      const value = contentOf(machine?.[key] ?? null);
      return value === null ? [] : [{ name: key.replace(/^lk\.(?:pii\.)?/, ""), value }];
    }),
    latencies,
  };
}

/** A call with a dispatch rule is inbound. */
function telephoneCall(sip: StoredSpan["attributes"]): Partial<CallReport> {
  const isInbound = textOf(sip["lk.sip.ruleID"]) !== null;
  const [user, own] = [textOf(sip["lk.pii.sip.phoneNumber"]), textOf(sip["lk.sip.trunkPhoneNumber"])];
  return {
    callType: "sip",
    direction: isInbound ? "inbound" : "outbound",
    fromNumber: isInbound ? user : own,
    toNumber: isInbound ? own : user,
  };
}

const latenciesOf = (job: StoredSpan["attributes"]): CallReport["latencies"] =>
  STAGES.flatMap((stage) => {
    const ms = milliseconds(job[`lk.job.${stage}_latency`], "seconds");
    return ms === null ? [] : [{ component: stage, n: 1, min: ms, max: ms, p50: ms, p90: ms, p95: ms, p99: ms }];
  });

const NOTHING_REPORTED: CallReport = {
  status: null,
  ending: null,
  callType: null,
  direction: null,
  fromNumber: null,
  toNumber: null,
  transferDestination: null,
  agentVersion: null,
  summary: null,
  sentiment: null,
  verdicts: [],
  metadata: null,
  dynamicVariables: null,
  collectedVariables: null,
  recordings: [],
  logUrl: null,
  tokens: null,
  costCents: null,
  costs: [],
  latencies: [],
  measures: {},
};
