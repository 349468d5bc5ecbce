/** What the result of a tool call reports. `refusal` includes a failure; `unclear` is neither success nor refusal. */
type Report = "success" | "refusal" | "unclear";

/** Limits of the part of a tool's result that is read. */
const DEPTH_MAX = 10;
const VALUES_MAX = 5_000;
const TEXT_MAX = 20_000;

/**
 * Returns what the result of a tool call reports. A refusal anywhere in the result prevails over a success. A result with neither counts as
 * a success if it contains data and no value that is false, zero, null, empty or negative. Data is, for example, a number, a code or a
 * record. Exception: a text without a number, and the result of a tool that checks something, count as a success only if words report a
 * success.
 */
export function reportOf(tool: string | null, result: unknown): Report {
  const found = readResult(tool ?? "", result);
  if (found.refuses) return "refusal";
  if (found.confirms) return "success";
  return found.doubtful || !found.hasData || CHECKS.test(spaced(tool ?? "")) ? "unclear" : "success";
}

const CHECKS =
  / (?:verif\w*|authenti\w*|authori[sz]\w*|validat\w*|identif\w*|identity|approv\w*|eligib\w*|screen(?:ing)?|credentials?|kyc|otp|pin|passcode|password|consent|login|log in|sign in) /;

const set = (words: string) => new Set(words.split(/\s+/));

const CONFIRMING = set(
  "ok okay true yes success successful successfully succeeded succeed verified valid validated approved accepted authorized authorised authenticated confirmed granted allowed permitted passed pass matched matches match eligible correct clear clean known approve allow accept",
);
/** In the result of a tool that checks something, these words only report that the check ran. */
const DONE = set(
  "active done complete completed created booked reserved sent scheduled saved updated refunded paid charged settled processed found available registered identified cleared delivered submitted",
);
/** Words that report a refusal, a failure, or something that has not happened yet. */
const REFUSING = set(
  `no not never none nor null nil nan false fail fails failed failing failure failures error errors err erroneous exception
  exceptions fault faults invalid wrong incorrect bad denied deny denies decline declined declines reject rejected rejects
  rejection refuse refused refuses refusal mismatch mismatched unmatched unverified unauthorized unauthorised unauthenticated
  unavailable unable unknown unsuccessful unsuccessfully unapproved unconfirmed unregistered unrecognized unrecognised
  unsupported unexpected unprocessable forbidden prohibited blocked locked lockout suspended disabled deactivated inactive
  ineligible insufficient inconclusive missing absent empty expired overdue revoked timeout timedout aborted throttled
  exceeded retry conflict cannot cant couldnt wont isnt wasnt doesnt didnt dont hasnt arent havent without nobody nothing
  violation fraud fraudulent suspicious suspected flagged disallowed disapproved unpaid canceled cancelled voided
  pending awaiting waiting required requires requiring needed needs challenge processing queued progress partial incomplete
  review hold unresolved sold full fully closed
  abgelehnt verweigert ungültig fehlgeschlagen fehler falsch nicht kein keine keinen gesperrt abgelaufen
  rechazado rechazada denegado denegada inválido inválida incorrecto incorrecta fallo falló fallido vencido bloqueado
  refusé refusée rejeté rejetée invalide échec échoué erreur incorrecte expiré bloqué impossible pas non
  rifiutato rifiutata negato errato errata scaduto recusado recusada negado inválida não nao falha
  geweigerd mislukt niet ongeldig odrzucono niepoprawny błąd`,
);
/** In prose, these words announce something that has not happened yet. */
const HEDGING = set(
  "if once when until unless will would should must may might please try again later attempt attempts",
);

/** Names of members whose value is the result of the call. */
const VERDICT_NAMES = set(
  "status stat state result outcome decision verdict answer response message msg reason detail details description info text verification authorization authentication title note summary",
);
/** In members with these names, a value of one word is a refusal unless the word is known to report success. */
const DECISION_NAMES = set("result outcome decision verdict");
/** Members with these names report a failure if they have a value. */
const FAULT_NAMES = set("error errors err fault faults failure failures exception exceptions");
const CODE_NAMES = set(
  "code status statuscode httpstatus httpcode httpstatuscode errorcode returncode resultcode responsecode exitcode rc",
);

type Found = { confirms: boolean; refuses: boolean; doubtful: boolean; hasData: boolean };

function readResult(tool: string, result: unknown): Found {
  const found: Found = { confirms: false, refuses: false, doubtful: false, hasData: false };
  const ofTool = spaced(tool)
    .split(" ")
    .filter((word) => word.length > 3)
    .map((word) => word.slice(0, Math.max(4, word.length - 1)));
  const isCheck = CHECKS.test(spaced(tool));
  /** A word from the tool's own name, such as "cancelled" from `cancel_order`, reports success. */
  const isOwn = (word: string) => ofTool.some((stem) => word.startsWith(stem)) && !/^(?:un|in|dis|non)/.test(word);
  const confirms = (word: string) =>
    CONFIRMING.has(word) || (!isCheck && (DONE.has(word) || (isOwn(word) && /(?:ed|d|t)$/.test(word))));
  const refuses = (word: string) => REFUSING.has(word) && !(isOwn(word) && !isCheck);
  let left = VALUES_MAX;
  read(result, "", false, 0);
  return found;

  function read(value: unknown, name: string, inRecord: boolean, depth: number): void {
    if (depth > DEPTH_MAX || left-- <= 0) {
      found.doubtful = true;
      return;
    }
    const words = wordsOf(name);
    const isFault = words.some((word) => FAULT_NAMES.has(word));
    const isRefusal = !isFault && words.some(refuses);
    const isConfirmation = !isFault && !isRefusal && words.some((word) => CONFIRMING.has(word) || DONE.has(word));
    const isVerdict = name === "" || words.some((word) => VERDICT_NAMES.has(word));
    if (isBlank(value)) {
      if (isFault || isRefusal) return;
      if (isConfirmation || (isVerdict && name !== "")) found.refuses = true;
      else if (name === "" && (value === false || value === 0)) found.refuses = true;
      else if (!inRecord) found.doubtful = true;
    } else if (
      isFault ||
      (isRefusal && typeof value !== "object" && !(typeof value === "string" && isNegative(value)))
    ) {
      found.refuses = true;
    } else if (value === true) {
      found.hasData = true;
      if (name === "" || isConfirmation || isVerdict) found.confirms = true;
    } else if (typeof value === "number") {
      readNumber(value, name, isConfirmation);
    } else if (typeof value === "string") {
      const json = parsed(value);
      if (json !== undefined) read(json, name, inRecord, depth + 1);
      else readText(value, { name, isConfirmation, isVerdict });
    } else if (Array.isArray(value)) {
      found.hasData ||= value.some((item) => typeof item === "object" && item !== null);
      for (const item of value) read(item, name, typeof item === "object", depth + 1);
    } else {
      const members = value as Record<string, unknown>;
      for (const member of Object.keys(members)) read(members[member], member, inRecord, depth + 1);
    }
  }

  function readNumber(value: number, name: string, isConfirmation: boolean): void {
    if (CODE_NAMES.has(name.replace(/[\s_-]/g, "").toLowerCase())) {
      if (value < 200 || value > 299) found.refuses = true;
    } else if (name === "" || Number.isNaN(value)) found.doubtful = true;
    else if (!isConfirmation) found.hasData = true;
    else if (value > 0) found.confirms = true;
    else found.refuses = true;
  }

  type Named = { name: string; isConfirmation: boolean; isVerdict: boolean };

  function readText(text: string, { name, isConfirmation, isVerdict }: Named): void {
    if (/^-?\d+(?:\.\d+)?$/.test(text.trim()) && name !== "") return readNumber(Number(text), name, isConfirmation);
    const words = wordsOf(text);
    const isShort = words.length <= 3;
    const isSaid = isVerdict || isConfirmation;
    const isProse = /\s/.test(text.trim());
    if (words.some(refuses)) {
      if (isShort || isSaid) found.refuses = true;
      else found.doubtful = true;
    } else if (isSaid && isProse && words.some((word) => HEDGING.has(word))) found.refuses = true;
    else if (words.some(confirms) && (isSaid || isShort)) found.confirms = true;
    else if (isConfirmation && isShort && /^[nf]$/i.test(text.trim())) found.refuses = true;
    else if (DECISION_NAMES.has(wordsOf(name).at(-1) ?? "") && /^[\p{L}_-]+$/u.test(text.trim())) found.refuses = true;
    else if (CODE_NAMES.has(name.replace(/[\s_-]/g, "").toLowerCase()) && !/status/i.test(name)) found.refuses = true;
    else if (words.length === 0 || (name === "" && (words.length === 1 || !/\d/.test(text)))) found.doubtful = true;
    else if (/\d/.test(text)) found.hasData = true;
  }
}

const isNegative = (text: string) => /^(?:no|false|n|none|not applicable)$/i.test(text.trim());

function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (typeof value === "string") return /^-?0*(?:\.0+)?$/.test(value.trim());
  return typeof value === "object" && Object.keys(value).length === 0;
}

function parsed(text: string): unknown {
  if (text.length > TEXT_MAX || !/^\s*[[{"]|^\s*(?:true|false|null)\s*$/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Splits a text into words: `isVerified_byPIN` becomes "is", "verified", "by" and "pin". */
const wordsOf = (text: string): string[] =>
  text
    .slice(0, TEXT_MAX)
    .replace(/['’]/g, "")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const spaced = (name: string) => ` ${wordsOf(name).join(" ")} `;
