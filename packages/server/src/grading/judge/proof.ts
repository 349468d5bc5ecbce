import { stoppedAnswering } from "../absence.ts";
import { type Evidence, TOOLS_UNSEEN } from "../evidence.ts";
import { negates } from "./negations.ts";
import type { CheckedQuote } from "./quotes.ts";
import type { JudgeReply } from "./reply.ts";
import { gapOf } from "./transcript.ts";

const ABOUT_TOOLS = /`|\b\w+_\w+\b|\btools?\b|\bfunctions?\b|\bcall(?:s|ed|ing)?\b/i;
const DONE_BY_TOOLS = new RegExp(
  `\\b(?:${formsOf("book reserve charge refund cancel transfer forward send email order pay purchase buy sell schedule reschedule update create delete remove register enroll submit issue approve waive activate deactivate block unlock grant save verify escalate subscribe withdraw credit debit ship dispatch")}|sent|paid|sold|bought|bookings?|reservations?|appointments?|payments?)\\b`,
  "i",
);

/**
 * Returns why a judgement lacks proof; null if it has enough proof. The sentence of the behavior decides which proof is needed:
 *
 * - Something happened: a demand is met, or a prohibition is broken. The proof is a quote of the agent or of a tool call. If the behavior
 *   is about what the agent says, only a quote of the agent is a proof.
 * - Something did not happen. The proof is the whole record, because a missing line may show the opposite. A pass also requires that the
 *   agent answered until the end. If an act is done with a tool, a record without visible tool calls is not whole.
 * - A sentence that both demands and forbids, or that code cannot read, needs both kinds of proof.
 */
export function missingProof(
  { behavior, status }: Pick<JudgeReply, "status"> & { behavior: string },
  quotes: readonly CheckedQuote[],
  evidence: Evidence,
): { problem: string; mayBeMended: boolean } | null {
  if (status === "inconclusive") return null;
  const { kind, isAboutSaying } = readDemand(behavior);
  const isAboutTools = ABOUT_TOOLS.test(behavior) || (!isAboutSaying && DONE_BY_TOOLS.test(behavior));
  const needsQuote = kind === "mixed" || (status === "pass") === (kind === "demand");
  const needsWholeRecord = kind === "mixed" || !needsQuote;
  const isShown = quotes.some(
    ({ foundIn, speaker }) => foundIn !== null && (speaker === "agent" || (speaker === "tool" && !isAboutSaying)),
  );
  if (needsQuote && !isShown) return { problem: isAboutSaying ? NO_WORDS : NO_QUOTE, mayBeMended: true };
  if (!needsWholeRecord) return null;
  const silence = status === "pass" ? stoppedAnswering(evidence) : null;
  const gap = gapOf(evidence) ?? (isAboutTools ? toolGap(evidence) : null) ?? silence;
  return gap === null
    ? null
    : { problem: `That something is absent needs the whole record. ${gap}`, mayBeMended: false };
}

const NO_QUOTE =
  "It quotes neither the agent nor a tool call, and words of the caller prove nothing about the agent. Quote what the agent said or did.";
const NO_WORDS =
  "It does not quote the agent, and only the agent's own words show what it says: a tool call does not. Quote the agent.";

const toolGap = ({ toolsVisible }: Evidence) => (toolsVisible ? null : TOOLS_UNSEEN);

function formsOf(verbs: string): string {
  return verbs
    .split(" ")
    .map((verb) =>
      /[^aeiou]y$/.test(verb)
        ? `${verb.slice(0, -1)}(?:y|ies|ied|ying)`
        : verb.endsWith("e")
          ? `${verb.slice(0, -1)}(?:e|es|ed|e?ing)`
          : `${verb}(?:s|es|[lr]?(?:ed|ing))?`,
    )
    .join("|");
}

const SAYS = `${formsOf(
  "tell say ask explain offer confirm mention inform greet answer announce respond repeat thank warn remind admit acknowledge suggest recommend assure welcome discuss comment claim report insist urge apologize apologise promise propose advise describe state guarantee summarize summarise introduce congratulate invite reply clarify refer express wish speak talk",
)}|told|said`;
const PHRASES =
  "reads?(?: \\S+){0,3} (?:back|out|aloud)|sums?(?: \\S+){0,3} up|points?(?: \\S+){0,2} out|names?(?= (?:the|an?|its|more|all|each)\\b)|lets?(?: \\S+){1,3} know|makes?(?: it)? clear|owns? up";

/** Nouns for something that is said, as in "makes a promise" or "gives advice". */
const SPEECHES =
  "promises?|offers?|guarantees?|predictions?|diagnos[ei]s|advice|comments?|statements?|commitments?|claims?|explanations?|apolog(?:y|ies)|answers?|recommendations?|threats?|jokes?";

/** After an article, a word of saying is a noun and does not match. */
const SAYING = new RegExp(
  `(?<!\\b(?:the|an?|this|that|any|no|his|her|its|their|your|s) )\\b(?:${SAYS}|${PHRASES})\\b|\\b(?:mak|giv)(?:es?|ing) (?:\\w+ ){0,2}(?:${SPEECHES})\\b`,
);

/** Matches words of saying whose subject is the caller, and requests that trigger an act, such as "when asked". */
const BY_THE_CALLER = new RegExp(
  `\\b(?:caller|customer|guest|user|patient|client|person|who)(?: (?:do|does|did|has|have|had|will|would|can|not|never|first|then|again|just|also|\\w+ly))* (?:${SAYS})\\b|\\b(?:when|if|as|once|until|unless|being) (?:asked|told)\\b`,
  "g",
);

/** Returns whether a sentence in lower case is about what the agent says. */
const isAboutSaying = (sentence: string): boolean => SAYING.test(sentence.replaceAll(BY_THE_CALLER, " "));

type Demand = {
  /** `prohibition`: the whole sentence forbids something. `mixed`: a part of it forbids or limits, or code cannot decide. */
  kind: "demand" | "prohibition" | "mixed";
  isAboutSaying: boolean;
};

export function readDemand(behavior: string): Demand {
  const sentence = plain(behavior);
  const isMixed = negates(sentence) || LIMITS.test(sentence);
  return {
    kind: forbidsAltogether(sentence) ? "prohibition" : isMixed ? "mixed" : "demand",
    isAboutSaying: isAboutSaying(sentence),
  };
}

const plain = (behavior: string): string =>
  behavior
    .replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”|\w+_\w+/g, "x")
    .replaceAll("’", "'")
    .trim()
    .replace(/[.!]$/, "")
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();

/** Matches words that limit what the agent does, or let it refrain from something. */
const LIMITS =
  /\b(?:avoids?|avoiding|refrains?|abstains?|refuses?|declines?|withholds?|keeps? (?:off|within|quiet|silent)|keeps?\b.{0,60}\b(?:from|to itself|private|secret|confidential)|ignores?|holds? off|(?:stays?|sticks?) (?:within|on|in|to|with|silent|quiet|calm|polite|away|out|off)|limits? (?:itself|its)|only|solely|exclusively|free of|rather than|instead of|at most|nur|solo|seulement|alleen)\b/;

/**
 * Matches the verb of an act. Only known verbs are listed: an unknown verb may mean an omission, and a sentence that forbids an omission
 * demands the act.
 */
const ACT = `(?:${SAYS}|${formsOf(
  "reveal argue shout swear interrupt insult laugh joke threaten pressure push criticize rush guess invent predict prescribe diagnose speculate fabricate accuse blame mock raise use share disclose quote store charge issue approve waive schedule reschedule place update create delete change activate pretend mislead deceive call book refund order open unlock block cancel transfer grant request collect record contact email expose leak complain contradict negotiate upsell add remove end close purchase compare send sell pay read supply lie",
)}|giv(?:e|es|en|ing)(?! up)|mak(?:es?|ing)|made|tak(?:es?|en|ing)|sent|sold|paid|spoken|hang(?:s|ing)? up)`;
const THING = `(?:${SPEECHES}|mentions?|references?|calls?|bookings?|reservations?|purchases?|payments?|refunds?|discounts?|jargon|slang|opinions?)`;
const FAULT =
  "(?:rude|impolite|sarcastic|ironic|aggressive|pushy|condescending|dismissive|hostile|impatient|disrespectful|offensive|patronizing|judgmental)";

const AGENT = "(?:(?:the |an? )?(?:(?:voice |ai |virtual )?(?:agent|assistant)|bot)|it|she|he|they)";
const START = `^(?:(?:during|throughout|in) the (?:whole |entire )?(?:call|conversation|chat),? )?(?:${AGENT} )?`;
const AUXILIARY = "(?:do|does|did|must|should|may|can|will|shall|has|have|had)";
const BE = "(?:(?:is|are|was|were) (?:not|never)|(?:must|may|should|can|will) (?:not|never) be)";

/** Patterns of sentences that forbid an act. `rest` is the text after the forbidden act. */
const FORBIDDING = [
  `${START}(?:(?:${AUXILIARY} )?never|${AUXILIARY} not|(?:${AUXILIARY}|ca|wo|sha)n't|cannot|(?:is|are) not (?:allowed|permitted|supposed) to|neither) (?:ever |again )?${ACT}`,
  `${START}(?:avoids?|(?:refrains?|abstains?|keeps?) from) (?:${ACT}|(?:\\w+ )?${THING})`,
  `${START}${BE} ${FAULT}`,
  `${START}(?:makes?|gives?|offers?|mentions?) (?:the caller )?no (?:\\w+ )?${THING}`,
  `${START}(?:says?|mentions?|reveals?|discloses?|promises?|offers?|tells?(?: the caller)?) nothing`,
  `^(?:at no (?:point|time|moment)|under no circumstances|in no case) ${AUXILIARY} ${AGENT} ${ACT}`,
  `^no (?:[\\w-]+ ){1,3}(?:is|are|was|were|(?:must|may|should|can|will) be) ${ACT}`,
  `^(?:(?:the |an? )?[\\w-]+|the [\\w'-]+ [\\w-]+|personal data) ${BE} ${ACT}`,
  `^there (?:is|are|must be) no ${THING}`,
].map((pattern) => new RegExp(`${pattern}\\b(?<rest>.*)$`));

/**
 * Matches words of a condition, an exception, a contrast, a second demand or a limit. A sentence with such a word does more than forbid.
 */
const MORE =
  /\b(?:unless|until|till|before|after|once|if|when|whenever|while|whereas|where|as (?:long|soon|far)|in (?:case|place|lieu|order|the absence)|provided|given|assuming|except|excluding|barring|save|absent|lacking|minus|short of|prior|ahead|against|other|else|besides|beyond|apart|aside|but|only|just|merely|solely|simply|exclusively|alone|instead|rather|than|and|plus|also|both|however|though|although|yet|then|otherwise|so|because|since|always|must|should|shall|first|immediately|directly|right away|at once|too|enough|less|fewer|long|slow\w*|late|able|(?:ha(?:s|ve)|needs?) to)\b/;

/** Matches words of omission after the act. */
const OMITS =
  /\b(?:fail|forget|neglect|omit|skip|miss(?:es|ed|ing)?\b|hesitat|ignor|refus|declin|den(?:y|ies)|avoid|leav|left|let(?:s|ting)?\b|keep|kept|lack|withh[eo]ld|delay|silen|un(?!der|i|til|less|to\b)\w)/;

/** These patterns match a comma before another object, and "or" between acts or objects. The sentence then forbids each of them. */
const LISTED = /, (?=(?:an?|any|his|her|their|its|n?or)\b|the (?!agent|assistant|bot))/g;
const CHOICE = new RegExp(`\\bn?or (?:${ACT}|${THING}|the|an?|any)\\b`, "g");
const CHANGES_NOTHING = /,? even (?:if|when|though)\b|\babout (?:when|where)\b/g;

/** Returns whether a whole sentence forbids something. In doubt, returns false, because the sentence may also demand something. */
function forbidsAltogether(sentence: string): boolean {
  const rest = FORBIDDING.map((pattern) => pattern.exec(sentence)?.groups?.["rest"]).find(
    (found) => found !== undefined,
  );
  if (rest === undefined) return false;
  const object = (/\bn?or\b/.test(rest) ? rest.replaceAll(LISTED, " ") : rest)
    .replaceAll(CHOICE, "")
    .replaceAll(CHANGES_NOTHING, "");
  const hasSigns = !/^[\p{L}\p{N} '%€$£-]*$/u.test(object) || object.includes(" - ");
  return !hasSigns && !MORE.test(object) && !OMITS.test(object) && !negates(object);
}
