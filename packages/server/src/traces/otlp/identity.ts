import { AGENT_KEYS, CONVERSATION_KEYS, SERVICE_KEY } from "../conversation/identity-keys.ts";

/** Codes of attribute keys: the index in CONVERSATION_KEYS, AGENT plus the index in AGENT_KEYS, SERVICE, or NEITHER. */
export const NEITHER = -1;
const AGENT = 256;
const SERVICE = 512;

const BY_NAME = new Map([
  ...CONVERSATION_KEYS.map((key, rank) => [key, rank] as const),
  ...AGENT_KEYS.map((key, rank) => [key, AGENT + rank] as const),
  [SERVICE_KEY, SERVICE] as const,
]);

const BY_LENGTH: { bytes: Buffer; code: number }[][] = Array.from({ length: 64 }, () => []);
for (const [key, code] of BY_NAME) BY_LENGTH[Buffer.byteLength(key)]!.push({ bytes: Buffer.from(key), code });

export const codeOf = (key: string): number => BY_NAME.get(key) ?? NEITHER;

/** The code must not be NEITHER. */
export const kindOf = (code: number): "conversation" | "agent" | "service" =>
  code >= SERVICE ? "service" : code >= AGENT ? "agent" : "conversation";

export function codeAt(bytes: Buffer, from: number, to: number): number {
  if (to - from >= BY_LENGTH.length) return NEITHER;
  for (const candidate of BY_LENGTH[to - from]!) {
    let i = to - from - 1;
    while (i >= 0 && candidate.bytes[i] === bytes[from + i]) i--;
    if (i < 0) return candidate.code;
  }
  return NEITHER;
}

/**
 * Collects the names of the conversation, the agent and the service while attributes are decoded. Each name is stored as a range of
 * bytes of JSON. The rank 255 means that no attribute had such a name yet.
 */
export class Identity {
  conversationRank = 255;
  conversationAt = 0;
  conversationEnd = 0;
  agentRank = 255;
  agentAt = 0;
  agentEnd = 0;
  /** -1 when the service has no name. */
  serviceAt = -1;
  serviceEnd = 0;

  clear(): void {
    this.serviceAt = -1;
    this.conversationRank = 255;
    this.agentRank = 255;
  }

  /** Records a name unless a stronger name is already recorded. Of equally strong names, the last name counts. */
  offer(code: number, at: number, end: number): void {
    if (code === SERVICE) {
      this.serviceAt = at;
      this.serviceEnd = end;
    } else if (code >= AGENT) {
      if (code - AGENT > this.agentRank) return;
      this.agentRank = code - AGENT;
      this.agentAt = at;
      this.agentEnd = end;
    } else if (code <= this.conversationRank) {
      this.conversationRank = code;
      this.conversationAt = at;
      this.conversationEnd = end;
    }
  }
}
