import { excerpt } from "../bounds.ts";
import { type Decision, failed, passed, type Proof } from "../decision.ts";
import { type Evidence, type EvidenceTurn, readText, mayContainMore } from "../evidence.ts";
import { search } from "../pattern/pattern.ts";
import { findWords, type TextRange, wordsOf } from "../words.ts";
import { unlessDoubted } from "./missing-evidence.ts";
import type { Check, WantedSpeech } from "./check.ts";

/** A turn with its index in the conversation. */
type IndexedTurn = EvidenceTurn & { index: number };

/** After this many turns that are too long for a pattern, the search stops; a check then takes less than a second. */
const COSTLY_TURNS_MAX = 3;

export function says({ said, never, firstTurns }: Check & { form: "says" }, evidence: Evidence): Decision {
  const spoken = turnsOf(evidence, "agent").slice(0, firstTurns ?? Infinity);
  const { proof, doubt } = find(said, spoken);
  const where =
    firstTurns === null ? "" : ` within the agent's first ${firstTurns === 1 ? "turn" : `${firstTurns} turns`}`;
  if (proof !== undefined) {
    const reason = `The agent said it in turn ${proof.turn}.`;
    return never ? failed(reason, [proof]) : passed(reason, [proof]);
  }
  const reason = `The agent never said it${where}.`;
  const windowIsFull = firstTurns !== null && spoken.length === firstTurns;
  return unlessDoubted(never ? passed(reason) : failed(reason), doubt, windowIsFull ? null : evidence.partial);
}

/** Decides whether the agent repeated a text; when the caller says it too, only turns after the caller's count. */
export function repeatsBack({ text }: Check & { form: "repeats_back" }, evidence: Evidence): Decision {
  const said: WantedSpeech = { kind: "words", text };
  const callerProof = find(said, turnsOf(evidence, "caller")).proof;
  const spoken = turnsOf(evidence, "agent").filter(
    ({ index }) => callerProof === undefined || index > callerProof.turn,
  );
  const { proof, doubt } = find(said, spoken);
  if (proof !== undefined) return passed(`The agent said it back in turn ${proof.turn}.`, [proof]);
  const reason = callerProof
    ? `The caller said it in turn ${callerProof.turn}, and the agent did not repeat it.`
    : "The agent never said it.";
  return unlessDoubted(failed(reason, callerProof ? [callerProof] : []), doubt, evidence.partial);
}

export const turnsOf = ({ turns }: Evidence, speaker: EvidenceTurn["speaker"]): IndexedTurn[] =>
  turns.map((turn, index) => ({ ...turn, index })).filter((turn) => turn.speaker === speaker);

type SearchResult =
  | { proof: Proof & { turn: number }; doubt?: undefined }
  | { proof?: undefined; doubt: string | null };

function find(said: WantedSpeech, turns: readonly IndexedTurn[]): SearchResult {
  const locate = locator(said);
  let doubt: string | null = null;
  let costly = 0;
  for (const turn of turns) {
    if (mayContainMore(turn)) doubt ??= `Some words of turn ${turn.index} are not known.`;
    const text = readText(turn);
    const range = text === null || costly >= COSTLY_TURNS_MAX ? undefined : locate(text);
    if (range === "too_costly") {
      costly++;
      doubt ??= `Turn ${turn.index} is too long for the pattern.`;
    } else if (range !== undefined) {
      return { proof: { turn: turn.index, quote: excerpt(text!.slice(range.start, range.end)) } };
    }
  }
  return { doubt };
}

function locator(said: WantedSpeech): (text: string) => TextRange | "too_costly" | undefined {
  if (said.kind === "pattern") return (text) => search(said.pattern, text);
  const wanted = wordsOf(said.text);
  const signs = said.text.trim();
  return (text) => (wanted.length > 0 ? findWords(wanted, wordsOf(text)) : findSigns(signs, text));
}

/** Finds text without a word, like "?", exactly. */
function findSigns(signs: string, text: string): TextRange | undefined {
  const start = text.indexOf(signs);
  return start < 0 ? undefined : { start, end: start + signs.length };
}
