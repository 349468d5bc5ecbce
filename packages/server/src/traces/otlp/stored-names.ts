import { codeOf, kindOf, NEITHER } from "./identity.ts";
import { CUT_MARK, LIMIT_BYTES } from "./limits.ts";
import type { Attribute, Value } from "./stored-values.ts";
import { textOf } from "./parse-message.ts";

/** The names that a span gives its conversation, its agent and its service, as they are stored. */
export type Names = {
  conversationRank: number;
  conversation: string | null;
  agent: string | null;
  service: string | null;
};

type Origin = "resource" | "span";
type Attributes = Record<Origin, readonly Attribute[]>;
type Candidate = { origin: Origin; at: number; rank: number; name: string };

/**
 * Returns the attributes of a span and of its resource with values that name what the span's columns say. The JSON of a value does
 * not say its type: only strings and integers are names, and bytes, fractions and numbers beyond all limits have the same text. A
 * value that would be the name and is not the one in the column has therefore one of these types.
 */
export function withNames(attributes: Attributes, names: Names): Attributes {
  const ofRank = ({ rank }: Candidate) => rank === names.conversationRank;
  const nameless = [
    ...namelessIn(candidatesIn(attributes, "conversation"), names.conversation, ofRank),
    ...namelessIn(candidatesIn(attributes, "agent"), names.agent),
    ...namelessIn(candidatesIn({ ...attributes, span: [] }, "service"), names.service),
  ];
  if (nameless.length === 0) return attributes;
  const changed = { resource: [...attributes.resource], span: [...attributes.span] };
  for (const { origin, at } of nameless) {
    const { key, value } = attributes[origin][at]!;
    changed[origin][at] = { key, value: namelessValue(value, origin) ?? value };
  }
  return changed;
}

/** Returns the values that can be the name, the one first that a decoder prefers to all others. */
function candidatesIn(attributes: Attributes, kind: ReturnType<typeof kindOf>): Candidate[] {
  const all = (["span", "resource"] as const).flatMap((origin) =>
    attributes[origin]
      .flatMap(({ key, value }, at) => {
        const code = codeOf(key);
        const name = nameOf(value);
        return code === NEITHER || kindOf(code) !== kind || name === undefined
          ? []
          : [{ origin, at, rank: code, name }];
      })
      .toReversed(),
  );
  return all.sort((one, other) => one.rank - other.rank);
}

/** Returns the candidates before the one with the name; none when the attribute with the name is not stored. */
function namelessIn(
  candidates: readonly Candidate[],
  name: string | null,
  fits: (candidate: Candidate) => boolean = () => true,
): readonly Candidate[] {
  if (name === null) return candidates;
  const named = candidates.findIndex((candidate) => candidate.name === name && fits(candidate));
  return candidates.slice(0, Math.max(0, named));
}

function nameOf({ stringValue, intValue }: Value): string | undefined {
  const text = stringValue || intValue;
  if (text === undefined || text === "") return undefined;
  const bytes = Buffer.from(text);
  return textOf(bytes, 0, bytes.length, LIMIT_BYTES.identity);
}

/** Returns a value with the same text that is no name; undefined without one. */
function namelessValue({ stringValue, intValue }: Value, origin: Origin): Value | undefined {
  if (intValue !== undefined)
    return String(Number(intValue)) === intValue ? { doubleValue: Number(intValue) } : undefined;
  if (stringValue === undefined) return undefined;
  if (/^(NaN|-?Infinity)$/.test(stringValue)) return { doubleValue: Number(stringValue) };
  const isCut = stringValue.endsWith(CUT_MARK);
  const base64 = isCut ? stringValue.slice(0, -CUT_MARK.length) : stringValue;
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  const limit = origin === "resource" ? LIMIT_BYTES.resourceValue : LIMIT_BYTES.value;
  return { bytesValue: isCut ? Buffer.concat([bytes, Buffer.alloc(limit)]) : bytes };
}
