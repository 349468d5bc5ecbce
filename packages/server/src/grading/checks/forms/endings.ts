import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Check } from "../check.ts";
import { COUNT, countOf } from "../grammar/quantity.ts";
import { byAbsence, toolDoubt } from "../missing-evidence.ts";
import { endingTools, transferTools } from "../ending-tools.ts";
import type { Form } from "./form.ts";

type EndsCall = Check & { form: "ends_call" };
type Transfers = Check & { form: "transfers" };
type Finishes = Check & { form: "finishes_within" };

const AGENT_ENDED = "agent_ended";
const TRANSFERRED = "transferred";

export const endsCall: Form<EndsCall> = {
  name: "ends_call",
  title: "ends the call, never ends the call",
  examples: ["ends the call", "hangs up", "never ends the call", "does not hang up"],
  reads: "who ended the conversation, and the tools that end a call, such as `end_call` and `hang_up`",
  unsure:
    "the ending is unknown, the format of the connection would not show that the agent ends the call, a tool that ends the call and the ending disagree, or our side cut the conversation short",
  judgeCanTell: true,
  nearly: /^(?:ends?\s+the\s+(?:call|conversation)|hangs?\s+up)\b/i,
  read: ({ never, text }) =>
    /^(?:ends?\s+the\s+(?:call|conversation)|hangs?\s+up|disconnects?\s+the\s+call)$/i.test(text)
      ? { form: "ends_call", never }
      : undefined,
  echo: ({ never }) => `The agent ${never ? "never ends" : "ends"} the call.`,
  decide: decideEndsCall,
};

function decideEndsCall({ never }: EndsCall, evidence: Evidence): Decision {
  const { ending } = evidence;
  const decide = (ended: boolean) => (ended === never ? failed : passed);
  const { sure, possible } = endingTools(evidence);
  if (ending?.by === "agent" && ending.reason === AGENT_ENDED) return decide(true)("The agent ended the call.", sure);
  if (sure.length > 0 && (ending === null || ending.by === "agent"))
    return decide(true)("The agent called a tool that ends the call.", sure);
  if (sure.length > 0)
    return inconclusive(
      `The agent called a tool that ends the call, and the conversation ended otherwise: ${ending!.reason}.`,
      sure,
    );
  if (ending === null) return inconclusive("It is not known who ended the call.", possible);
  const reason = `The agent did not end the call: ${ending.reason}.`;
  if (ending.by === "limit") return inconclusive(`${reason} The run's limit left it no time to.`, possible);
  if (possible.length > 0) return inconclusive(`${reason} It called a tool that may end a call.`, possible);
  const isHidden = evidence.endsOnlyByTool === true && !evidence.toolsVisible;
  return byAbsence(decide(false)(reason), evidence, isHidden ? HIDDEN_END : null);
}

const HIDDEN_END = "An agent over this connection can end it only with a tool, and its answers would not show it.";

const RECEIVER =
  "(?:an?\\s+|the\\s+)?(?:live\\s+|real\\s+|human\\s+)?(?:human(?:\\s+being)?|person|agent|representative|operator|colleague|member\\s+of\\s+staff|someone|employee)";
const TRANSFERS = new RegExp(
  `^(?:transfers?|forwards?|escalates?|hands?\\s+(?:off|over)|connects?)(?:\\s+(?:the\\s+)?(?:call|caller|customer|user|conversation))?(?<to>\\s+to\\s+${RECEIVER})?$`,
  "i",
);

export const transfers: Form<Transfers> = {
  name: "transfers",
  title: "transfers, never transfers",
  examples: [
    "transfers to human",
    "transfers the call",
    "escalates to a human",
    "never transfers to a human",
    "does not transfer the call",
  ],
  reads: "the ending, and the tools that transfer a call, such as `transfer_call` and `escalate_to_human`",
  unsure:
    "a tool may transfer the call, or the tool calls are not visible; a destination such as a department is left to the judge",
  judgeCanTell: true,
  nearly: /^(?:transfers?|forwards?|escalates?|hands?\s+(?:off|over)|connects?)\b/i,
  read({ never, text }) {
    const match = TRANSFERS.exec(text);
    if (match === null || (/^connect/i.test(text) && match.groups!["to"] === undefined)) return undefined;
    if (/\sto\s+(?:an?\s+|the\s+)?agent$/i.test(text)) return undefined;
    return /^(?:forwards?|escalates?|transfers?|hands?\s+(?:off|over))$/i.test(text) && !never
      ? undefined
      : { form: "transfers", never };
  },
  echo: ({ never }) => `The agent ${never ? "never transfers" : "transfers"} the call to a person.`,
  decide: decideTransfers,
};

function decideTransfers({ never }: Transfers, evidence: Evidence): Decision {
  const { sure, possible } = transferTools(evidence);
  const decide = never ? failed : passed;
  if (evidence.ending?.reason === TRANSFERRED) return decide("The agent transferred the caller.", sure);
  if (sure.length > 0) return decide("The agent called a tool that transfers the call.", sure);
  const reason = "The agent called no tool that transfers the call, or none that succeeded.";
  if (possible.length > 0) return inconclusive(`${reason} It called a tool that may transfer a call.`, possible);
  return byAbsence((never ? passed : failed)(reason), evidence, toolDoubt(evidence));
}

const FINISHES = new RegExp(
  `^(?:(?:the\\s+)?(?:whole\\s+)?(?:call|conversation)\\s+(?:is\\s+(?:finished|over)|finishes|ends)|finish(?:es)?)\\s+(?:within|in\\s+at\\s+most|in\\s+no\\s+more\\s+than|in\\s+(?<fewer>fewer\\s+than|less\\s+than|under))\\s+(?<count>${COUNT})\\s+turns?$`,
  "i",
);

export const finishesWithin: Form<Finishes> = {
  name: "finishes_within",
  title: "finishes",
  examples: ["finishes within 12 turns", "the call is finished in at most 12 turns"],
  reads: "the number of turns, and the ending",
  unsure:
    "all turns together exceed the number and the turns of one party do not, or our side cut the conversation short",
  judgeCanTell: false,
  nearly: /^(?:finish(?:es)?|completes?|resolves?)\b[^]*\bturns?$/i,
  read({ never, text }) {
    const groups = FINISHES.exec(text)?.groups;
    if (never || groups === undefined) return undefined;
    return { form: "finishes_within", turns: countOf(groups["count"]!) - (groups["fewer"] === undefined ? 0 : 1) };
  },
  echo: ({ turns }) => `The conversation finishes within ${turns} ${turns === 1 ? "turn" : "turns"}.`,
  decide: decideFinishes,
};

const isUnfinished = ({ by, reason }: NonNullable<Evidence["ending"]>): boolean =>
  by === "limit" || /^agent_(?:error|silent|never_joined)$/.test(reason);

function decideFinishes({ turns: most }: Finishes, evidence: Evidence): Decision {
  const { turns, ending } = evidence;
  const ofAgent = turns.filter(({ speaker }) => speaker === "agent").length;
  const reason = `The conversation has ${turns.length} ${turns.length === 1 ? "turn" : "turns"}, ${ofAgent} of the agent.`;
  if (Math.min(ofAgent, turns.length - ofAgent) > most) return failed(reason);
  if (ending !== null && isUnfinished(ending)) return failed(`The conversation did not finish: ${ending.reason}.`);
  if (turns.length > most) return inconclusive(`${reason} The behavior does not say which turns count.`);
  return byAbsence(passed(reason), evidence);
}
