import { negates } from "./negations.ts";
import { formsOf, isAboutSaying, SAYS, SPEECHES } from "./saying.ts";

/** The demand of a behavior, as far as code can read its sentence. */
type Demand = {
  /** `prohibition`: the whole sentence forbids something. `mixed`: it forbids or limits in part, or code cannot tell. */
  kind: "demand" | "prohibition" | "mixed";
  /** Whether the behavior is about words of the agent. */
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

/** Returns a sentence in lower case, without quoted words and names of tools. */
const plain = (behavior: string): string =>
  behavior
    .replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”|\w+_\w+/g, "x")
    .replaceAll("’", "'")
    .trim()
    .replace(/[.!]$/, "")
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();

/** Words that limit what the agent does, or let it keep from something. */
const LIMITS =
  /\b(?:avoids?|avoiding|refrains?|abstains?|refuses?|declines?|withholds?|keeps? (?:off|within|quiet|silent)|keeps?\b.{0,60}\b(?:from|to itself|private|secret|confidential)|ignores?|holds? off|(?:stays?|sticks?) (?:within|on|in|to|with|silent|quiet|calm|polite|away|out|off)|limits? (?:itself|its)|only|solely|exclusively|free of|rather than|instead of|at most|nur|solo|seulement|alleen)\b/;

/** Acts that a sentence may forbid. An unknown verb may be one of omission, and not to omit something is to do it. */
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

/** The beginnings of sentences that forbid something, up to what they forbid. */
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

/** Words of a condition, an exception, a contrast, a second demand or a limit: the sentence does not only forbid. */
const MORE =
  /\b(?:unless|until|till|before|after|once|if|when|whenever|while|whereas|where|as (?:long|soon|far)|in (?:case|place|lieu|order|the absence)|provided|given|assuming|except|excluding|barring|save|absent|lacking|minus|short of|prior|ahead|against|other|else|besides|beyond|apart|aside|but|only|just|merely|solely|simply|exclusively|alone|instead|rather|than|and|plus|also|both|however|though|although|yet|then|otherwise|so|because|since|always|must|should|shall|first|immediately|directly|right away|at once|too|enough|less|fewer|long|slow\w*|late|able|(?:ha(?:s|ve)|needs?) to)\b/;

/** Words of omission after the act. */
const OMITS =
  /\b(?:fail|forget|neglect|omit|skip|miss(?:es|ed|ing)?\b|hesitat|ignor|refus|declin|den(?:y|ies)|avoid|leav|left|let(?:s|ting)?\b|keep|kept|lack|withh[eo]ld|delay|silen|un(?!der|i|til|less|to\b)\w)/;

/** A comma before another object, and a choice between acts or objects: the sentence forbids each of them. */
const LISTED = /, (?=(?:an?|any|his|her|their|its|n?or)\b|the (?!agent|assistant|bot))/g;
const CHOICE = new RegExp(`\\bn?or (?:${ACT}|${THING}|the|an?|any)\\b`, "g");
const CHANGES_NOTHING = /,? even (?:if|when|though)\b|\babout (?:when|where)\b/g;

/** Returns whether nothing that the sentence says has to happen. A doubtful sentence may demand something. */
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
