import { codeOf, Identity, NEITHER } from "./identity.ts";
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

const CHOICES_MAX = 12;

/**
 * Returns the attributes of a span and of its resource with values that name what the span's columns say. The JSON of a value does
 * not say its type: only strings and integers are names, and bytes, fractions and numbers beyond all limits have the same text.
 */
export function withNames(attributes: Attributes, names: Names): Attributes {
  if (isSame(namesOf(attributes), names)) return attributes;
  const choices = (["resource", "span"] as const).flatMap((origin) =>
    attributes[origin].flatMap((attribute, at) => {
      const nameless = codeOf(attribute.key) === NEITHER ? undefined : namelessValue(attribute.value, origin);
      return nameless === undefined ? [] : [{ origin, at, attribute: { ...attribute, value: nameless } }];
    }),
  );
  for (let chosen = 1; chosen < 2 ** Math.min(choices.length, CHOICES_MAX); chosen++) {
    const changed = { resource: [...attributes.resource], span: [...attributes.span] };
    for (const [bit, { origin, at, attribute }] of choices.entries())
      if ((chosen & (1 << bit)) !== 0) changed[origin][at] = attribute;
    if (isSame(namesOf(changed), names)) return changed;
  }
  return attributes;
}

const isSame = (one: Names, other: Names): boolean =>
  one.conversationRank === other.conversationRank &&
  one.conversation === other.conversation &&
  one.agent === other.agent &&
  one.service === other.service;

/** Returns the names that a decoder finds in the attributes. */
function namesOf({ resource, span }: Attributes): Names {
  const [shared, own] = [strongest(resource), strongest(span)];
  const ownName = own.conversationRank !== 255 && own.conversationRank <= shared.conversationRank;
  const ownAgent = own.agentRank !== 255 && own.agentRank <= shared.agentRank;
  return {
    conversationRank: Math.min(own.conversationRank, shared.conversationRank),
    conversation: ownName
      ? nameAt(span, own.conversationAt)
      : shared.conversationRank === 255
        ? null
        : nameAt(resource, shared.conversationAt),
    agent: ownAgent ? nameAt(span, own.agentAt) : shared.agentRank === 255 ? null : nameAt(resource, shared.agentAt),
    service: shared.serviceAt < 0 ? null : nameAt(resource, shared.serviceAt),
  };
}

function strongest(attributes: readonly Attribute[]): Identity {
  const identity = new Identity();
  for (const [at, { key, value }] of attributes.entries()) {
    const code = codeOf(key);
    if (code !== NEITHER && (value.stringValue || value.intValue !== undefined)) identity.offer(code, at, at);
  }
  return identity;
}

function nameAt(attributes: readonly Attribute[], at: number): string {
  const { stringValue, intValue } = attributes[at]!.value;
  const bytes = Buffer.from(stringValue ?? intValue!);
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
