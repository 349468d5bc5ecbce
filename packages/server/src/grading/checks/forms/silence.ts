import { SILENCE_MS } from "@svc/contract";
import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Check } from "../check.ts";
import { DURATION, msOf, WITHIN } from "../grammar/quantity.ts";
import { unlessDoubted } from "../missing-evidence.ts";
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
  ],
  reads: "the measured silences of at least 3 s",
  unsure: "silences are not measured, or the limit is shorter than 3 s",
  judgeCanTell: false,
  nearly: /\b(?:silence|dead\s+air)\b/i,
  read({ never, text }) {
    const groups = NO_SILENCE.exec(text)?.groups;
    if (never || groups === undefined) return undefined;
    const { amount = groups["other_amount"], unit = groups["other_unit"] } = groups;
    return { form: "no_silence_over", ms: msOf({ amount, unit }) };
  },
  echo: ({ ms }) => `No silence lasts longer than ${ms} ms.`,
  decide: decideSilence,
};

function decideSilence({ ms }: NoSilence, { measures, partial }: Evidence): Decision {
  const { provenance, reason, samples } = measures.silence;
  if (provenance === "unavailable") return inconclusive(`Silences are not known: ${reason}`);
  const longest = Math.max(0, ...samples.map(({ value }) => value));
  if (longest > ms) return failed(`The longest silence lasted ${Math.round(longest)} ms.`);
  const unmeasured = ms < SILENCE_MS ? `Silences shorter than ${SILENCE_MS} ms are not measured.` : null;
  return unlessDoubted(passed(`No silence lasted longer than ${ms} ms.`), unmeasured, partial);
}

const STOPS = new RegExp(
  `^stops?(?:\\s+(?:speaking|talking))?\\s+${WITHIN}\\s+${DURATION}\\s+(?:when\\s+interrupted|after\\s+an\\s+interruption|when\\s+the\\s+(?:caller|user|customer)\\s+(?:interrupts|barges\\s+in))$`,
  "i",
);

export const stopsWithin: Form<Stops> = {
  name: "stops_within",
  title: "stops when interrupted",
  examples: ["stops within 500 ms when interrupted", "stops talking within 1 s when the caller interrupts"],
  reads: "the measured time from each interruption to the agent's silence",
  unsure: "the caller did not interrupt the agent, or interruptions are not measured",
  judgeCanTell: false,
  nearly: /^stops?\b/i,
  read({ never, text }) {
    const groups = STOPS.exec(text)?.groups;
    if (never || groups === undefined) return undefined;
    return { form: "stops_within", ms: msOf(groups), ...(groups["under"] !== undefined && { under: true }) };
  },
  echo: ({ ms, under }) => `When the caller interrupts, the agent stops ${under ? "in less than" : "within"} ${ms} ms.`,
  decide: decideStops,
};

function decideStops({ ms, under }: Stops, { measures, partial }: Evidence): Decision {
  const { samples } = measures.yield_latency;
  const interruptions = measures.user_interruptions;
  const noMeasure = interruptions.provenance === "unavailable" ? interruptions.reason : null;
  if (samples.length === 0) return inconclusive(noMeasure ?? "The caller did not interrupt the agent.");
  const slow = samples.filter(({ value }) => (under ? value >= ms : value > ms));
  const reason = `${slow.length} of ${samples.length} interruptions went on longer than ${ms} ms.`;
  if (slow.length > 0) return failed(reason, turnProofs(slow));
  const missing =
    interruptions.missing > 0 ? "It is not known whether the agent was interrupted at other times." : null;
  return unlessDoubted(passed(reason, turnProofs(samples)), missing, partial);
}
