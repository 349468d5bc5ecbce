import { keysOf, turnParts } from "@svc/contract";
import { type Decision, failed, passed } from "../../decision.ts";
import { type Evidence, readText } from "../../evidence.ts";
import type { Check } from "../check.ts";
import { byAbsence } from "../missing-evidence.ts";
import { turnsOf } from "../spoken.ts";
import type { Form } from "./form.ts";

type Presses = Check & { form: "presses" };

const VERB = /^(?:(?:press|send|dial|enter)(?:s|es)?)\s+(?:(?:the\s+|any\s+|a\s+)?(?:digits?|keys?)\b\s*)?/i;
const NAMED = /\b(?:digits?|keys?)\s*$/i;

export const presses: Form<Presses> = {
  name: "presses",
  title: "presses keys, never presses keys",
  examples: [
    "presses 1",
    "presses a key",
    "sends the digits 4 2 #",
    "presses the keys 1, 2, #",
    "never sends digits",
    "never presses the key 9",
  ],
  reads: "the keys of the telephone that the agent pressed, one after the other, in a call that the service placed",
  unsure: "the service did not place the call, or the agent's own worker reports its turns",
  judgeCanTell: false,
  needsSound: () => true,
  nearly: /^(?:press|send|dial|enter)(?:s|es)?\s+(?:the\s+|any\s+|a\s+)?(?:digits?|keys?|[\d*#])/i,
  read({ never, text }) {
    const verb = VERB.exec(text)?.[0];
    if (verb === undefined) return undefined;
    const rest = text.slice(verb.length);
    if (rest === "") return NAMED.test(verb) ? { form: "presses", keys: null, never } : undefined;
    // "sends 5" may mean something else than keys.
    if (!NAMED.test(verb) && !/^press/i.test(verb)) return undefined;
    const keys = /^[\d*#]/.test(rest) ? keysOf(rest) : undefined;
    return keys === undefined ? undefined : { form: "presses", keys, never };
  },
  echo({ keys, never }) {
    if (keys === null) return `The agent presses ${never ? "no key" : "a key"} of the telephone.`;
    return `The agent ${never ? "never presses" : "presses"} ${spaced(keys)} on the telephone.`;
  },
  decide: decidePresses,
};

const spaced = (keys: string): string => [...keys].join(" ");

function decidePresses({ keys, never }: Presses, evidence: Evidence): Decision {
  const turns = turnsOf(evidence, "agent").flatMap((turn) => {
    const pressed = turnParts(readText(turn) ?? "").flatMap((part) => (part.kind === "keys" ? [part.keys] : []));
    return pressed.length === 0 ? [] : [{ turn: turn.index, quote: readText(turn)!, keys: pressed.join("") }];
  });
  const all = turns.map((turn) => turn.keys).join("");
  const proofs = turns.map(({ turn, quote }) => ({ turn, quote }));
  const reason = all === "" ? "The agent pressed no key." : `The agent pressed ${spaced(all)}.`;
  const isThere = keys === null ? all !== "" : all.includes(keys);
  if (isThere) return (never ? failed : passed)(reason, proofs);
  const doubt = evidence.keysKnown ? null : "The keys that the agent pressed are not known.";
  return byAbsence((never ? passed : failed)(reason, proofs), evidence, doubt);
}
