import { HEARD_SILENCE_MS, SILENCE_MS } from "@svc/contract";
import { heardOr } from "../../call-sound.ts";
import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Check } from "../check.ts";
import { heardWords, withoutHeard } from "../grammar/as-heard.ts";
import { DURATION, msOf, WITHIN } from "../grammar/quantity.ts";
import { byAbsence, unlessDoubted } from "../missing-evidence.ts";
import type { Form } from "./form.ts";
import { turnProofs } from "./responds-within.ts";

type NoSilence = Check & { form: "no_silence_over" };
type Stops = Check & { form: "stops_within" };

const NO_SILENCE = new RegExp(
  `^(?:(?:leaves\\s+|there\\s+is\\s+)?no\\s+(?:silence|dead\\s+air)\\s+(?:over|above|longer\\s+than|of\\s+more\\s+than)\\s+${DURATION}|there\\s+is\\s+never\\s+more\\s+than\\s+${DURATION.replaceAll("?<", "?<other_")}\\s+of\\s+(?:silence|dead\\s+air))$`,
  "i",
);

export const noSilenceOver: Form<NoSilence> = {
  name: "no_silence_over",
  title: "has no long silence",
  examples: [
    "no silence over 5 s",
    "no dead air longer than 6 seconds",
    "there is never more than 5 seconds of silence",
    "no silence over 5 s as heard",
  ],
  reads:
    'the silences of at least 2 s in which the caller waits for the agent in a call that the service placed, elsewhere the measured silences of at least 3 s; a sentence with "as heard" reads only the former',
  unsure: "silences are not known, or the limit is shorter than the shortest known silence",
  judgeCanTell: false,
  nearly: /\b(?:silence|dead\s+air)\b/i,
  needsSound: () => true,
  read({ never, text: sentence }) {
    const { text, isHeard } = withoutHeard(sentence);
    const groups = NO_SILENCE.exec(text)?.groups;
    if (never || groups === undefined) return undefined;
    const { amount = groups["other_amount"], unit = groups["other_unit"] } = groups;
    return { form: "no_silence_over", ms: msOf({ amount, unit }), ...(isHeard && { heard: true }) };
  },
  echo: ({ ms, heard }) => `No silence lasts longer than ${ms} ms${heardWords(heard)}.`,
  decide: decideSilence,
};

function decideSilence({ ms, heard }: NoSilence, evidence: Evidence): Decision {
  const { measure, source, isHeard } = heardOr(evidence, "silence", "heard_silence", heard);
  const { provenance, reason, samples } = measure;
  if (provenance === "unavailable") return inconclusive(`Silences are not known: ${reason}`);
  const longest = Math.max(0, ...samples.map(({ value }) => value));
  if (longest > ms) return failed(`The longest silence lasted ${Math.round(longest)} ms${source}.`);
  const shortestMs = isHeard ? HEARD_SILENCE_MS : SILENCE_MS;
  const unmeasured = ms < shortestMs ? `Silences shorter than ${shortestMs} ms are not measured.` : null;
  return byAbsence(passed(`No silence lasted longer than ${ms} ms${source}.`), evidence, unmeasured);
}

const STOPS = new RegExp(
  `^stops?(?:\\s+(?:speaking|talking))?\\s+${WITHIN}\\s+${DURATION}\\s+(?:when\\s+interrupted|after\\s+an\\s+interruption|when\\s+the\\s+(?:caller|user|customer)\\s+(?:interrupts|barges\\s+in))$`,
  "i",
);

export const stopsWithin: Form<Stops> = {
  name: "stops_within",
  title: "stops when interrupted",
  examples: [
    "stops within 500 ms when interrupted",
    "stops talking within 1 s when the caller interrupts",
    "stops within 500 ms when interrupted, as heard",
  ],
  reads:
    'the time from each interruption to the agent\'s silence: in a call that the service placed, as the caller hears it; elsewhere the measured time, which does not decide a sentence with "as heard"',
  unsure: "the caller did not interrupt the agent, or interruptions are not known",
  judgeCanTell: false,
  nearly: /^stops?\b/i,
  needsSound: () => true,
  read({ never, text: sentence }) {
    const { text, isHeard } = withoutHeard(sentence);
    const groups = STOPS.exec(text)?.groups;
    if (never || groups === undefined) return undefined;
    const isUnder = groups["under"] !== undefined;
    return {
      form: "stops_within",
      ms: msOf(groups),
      ...(isUnder && { under: true }),
      ...(isHeard && { heard: true }),
    };
  },
  echo: ({ ms, under, heard }) =>
    `When the caller interrupts, the agent stops ${under ? "in less than" : "within"} ${ms} ms${heardWords(heard)}.`,
  decide: decideStops,
};

function decideStops({ ms, under, heard }: Stops, evidence: Evidence): Decision {
  const { measure, source, isHeard } = heardOr(evidence, "yield_latency", "heard_yield_latency", heard);
  const { samples } = measure;
  const interruptions = isHeard ? measure : evidence.measures.user_interruptions;
  const noMeasure = interruptions.provenance === "unavailable" ? interruptions.reason : null;
  if (samples.length === 0) return inconclusive(noMeasure ?? "The caller did not interrupt the agent.");
  const slow = samples.filter(({ value }) => (under ? value >= ms : value > ms));
  const longest = samples.reduce((a, b) => (b.value > a.value ? b : a));
  const where = longest.turn === null ? "" : ` in turn ${longest.turn}`;
  const limit = under ? `for ${ms} ms or longer` : `longer than ${ms} ms`;
  const reason = `${slow.length} of ${samples.length} interruptions went on ${limit}; the longest went on for ${Math.round(longest.value)} ms${where}${source}.`;
  if (slow.length > 0) return failed(reason, turnProofs(slow.toSorted((a, b) => b.value - a.value)));
  const missing =
    interruptions.missing > 0 ? "It is not known whether the agent was interrupted at other times." : null;
  return unlessDoubted(passed(reason, turnProofs(samples)), missing, evidence.partial);
}
