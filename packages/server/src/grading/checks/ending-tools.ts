import type { Proof } from "../decision.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { succeededUnrefused } from "./call-outcome.ts";

type FoundTools = { sure: Proof[]; possible: Proof[] };

const CALL = "(?: the)?(?: current)?(?: (?:phone )?(?:call|conversation|session))";
const ENDS = new RegExp(`^(?:(?:end|terminate|finish|disconnect)${CALL}|hang ?up(?:${CALL})?)(?: tool| function)?$`);
const MAY_END = /\b(?:hang ?up|end|ends|terminate|finish|disconnect)\b.*\b(?:call|conversation|session)\b|\bhang ?up\b/;

const WHOM =
  "(?: to)?(?: an?| the| live)?(?: (?:call|caller|customer|human|agent|human agent|live agent|person|operator|representative|rep|support|specialist|staff|desk|queue|manager|supervisor|nurse|department))+";
const TRANSFERS = new RegExp(
  `^(?:transfer|(?:(?:warm|cold|blind|sip) )?transfer${WHOM}|(?:warm|cold|blind|sip) transfer|(?:forward|connect)${WHOM}|escalate(?:${WHOM})?|hand ?(?:off|over)(?:${WHOM})?|human handoff)(?: tool| function)?$`,
);
const MAY_TRANSFER =
  /\b(?:transfer|transfers|escalate|escalation|handoff|handover|hand off|hand over)\b|\b(?:forward|connect)\b.*\b(?:call|caller|human|agent|operator)\b/;
/** Matches tools that transfer money or things, not the call. */
const OTHER_TRANSFER =
  /\b(?:money|funds?|balance|amount|payment|points|ownership|files?|domain|account|savings|bank|wire|card)\b/;

/** Matches the first word of tools that neither end nor transfer the call. */
const READS =
  /^(?:get|list|lookup|look|check|read|find|search|fetch|query|is|has|can|describe|show|explain|log|estimate|cancel)\b/;

export const endingTools = (evidence: Evidence): FoundTools =>
  found(evidence, (name) => (ENDS.test(name) ? true : MAY_END.test(name) && !READS.test(name) ? null : false));

export const transferTools = (evidence: Evidence): FoundTools =>
  found(evidence, (name) => {
    if (OTHER_TRANSFER.test(name)) return false;
    return TRANSFERS.test(name) ? true : MAY_TRANSFER.test(name) && !READS.test(name) ? null : false;
  });

function found(evidence: Evidence, isMeant: (name: string) => boolean | null): FoundTools {
  const kinds = evidence.toolCalls.map((call) => {
    const meant = isMeant(spacedName(call));
    const success = succeededUnrefused(call, evidence);
    return meant === false || success === false ? false : meant === true && success === true ? true : null;
  });
  const proofs = (kind: true | null): Proof[] => kinds.flatMap((each, toolCall) => (each === kind ? { toolCall } : []));
  return { sure: proofs(true), possible: proofs(null) };
}

/** Returns the name of a tool in words: `warmTransfer_toHuman` becomes "warm transfer to human". */
const spacedName = ({ name }: EvidenceToolCall): string =>
  (name ?? "")
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
