import { gunzipSync, gzipSync } from "node:zlib";
import type { OtlpBody } from "@svc/sdk";
import { requestsOf } from "../test/support/captures.ts";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeJson, encodeProtobuf, type OtlpRequest } from "../test/support/otlp.ts";
import type { Draws } from "./random.ts";

export type Body = { bytes: Buffer; encoding: "protobuf" | "json"; gzip: boolean };

/** Returns bodies as exporters send them. Mutations start from these bodies. */
export function cleanBodies(draws: Draws): Body[] {
  const made = Array.from({ length: 12 }, () =>
    liveKitRequest(draws.whole(1, 1e6), { spans: draws.whole(1, 6), conversations: 1 }),
  );
  const recorded = ["js-1.9.0-voice", "js-1.9.0-voice-json", "py-1.3.12-troubles"].flatMap((set) =>
    requestsOf(set).map(bodyOf),
  );
  return [
    ...made.map((request): Body => ({ bytes: encodeProtobuf(request), encoding: "protobuf", gzip: false })),
    ...made.map((request): Body => ({ bytes: encodeJson(request), encoding: "json", gzip: false })),
    ...made
      .slice(0, 4)
      .map((request): Body => ({ bytes: gzipSync(encodeProtobuf(request)), encoding: "protobuf", gzip: true })),
    ...recorded,
  ];
}

function bodyOf({ body, contentType, gzip = false }: OtlpBody): Body {
  const bytes = Buffer.from(body as Uint8Array);
  return { bytes, encoding: contentType === "application/json" ? "json" : "protobuf", gzip };
}

const JSON_PIECES = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "null",
  "-1",
  "1e999",
  "\\u0000",
  "\\ud800",
  '"__proto__":',
  "true",
  "99999999999999999999",
];
const BYTES = [0, 0x7f, 0x80, 0xff];

/** Returns the body with one to eight mutations. */
export function mutated(draws: Draws, { bytes, encoding, gzip }: Body, others: readonly Body[]): Body {
  // Half of the compressed bodies are mutated before the compression, because the checksum reveals most other damage at once.
  const inside = gzip && draws.next() < 0.5;
  let changed: Buffer = Buffer.from(inside ? gunzipSync(bytes) : bytes);
  for (let left = draws.pick([1, 1, 1, 2, 4, 8]); left > 0; left--)
    changed = mutation(draws, changed, encoding, others);
  return { bytes: inside ? gzipSync(changed) : changed, encoding, gzip };
}

function mutation(draws: Draws, bytes: Buffer, encoding: Body["encoding"], others: readonly Body[]): Buffer {
  if (bytes.length === 0) return draws.bytes(4);
  const at = draws.whole(0, bytes.length - 1);
  const length = Math.min(bytes.length - at, draws.whole(1, 64));
  const cut = [bytes.subarray(0, at), bytes.subarray(at + length)] as const;
  switch (draws.whole(0, 8)) {
    case 0:
      bytes[at]! ^= 1 << draws.whole(0, 7);
      return bytes;
    case 1:
      bytes[at] = draws.pick(BYTES);
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return Buffer.concat(cut);
    case 4:
      return Buffer.concat([cut[0], bytes.subarray(at, at + length), bytes.subarray(at, at + length), cut[1]]);
    case 5:
      return Buffer.concat([cut[0], draws.bytes(length), cut[1]]);
    case 6: {
      const other = draws.pick(others).bytes;
      const from = draws.whole(0, other.length - 1);
      return Buffer.concat([cut[0], other.subarray(from, from + draws.whole(1, 400)), cut[1]]);
    }
    case 7:
      // A length prefix that claims more bytes than the body has.
      return Buffer.concat([cut[0], Buffer.from([0xff, 0xff, 0xff, 0xff, draws.whole(0, 15)]), cut[1]]);
    default:
      if (encoding === "protobuf") return Buffer.concat([cut[0], Buffer.alloc(length, draws.pick(BYTES)), cut[1]]);
      return Buffer.concat([cut[0], Buffer.from(draws.pick(JSON_PIECES)), cut[1]]);
  }
}

const EXTREMES: unknown[] = [
  "",
  "0",
  "-1",
  "18446744073709551615",
  "9223372036854775807",
  "1e30",
  "\u0000\ud800",
  "x".repeat(70_000),
  null,
  true,
  -0.5,
  1e308,
  [],
  {},
  [[[[[[]]]]]],
  { stringValue: "x", intValue: "1" },
];

/** Returns a well-formed conversation in which some values are extreme or have the wrong type. */
export function strangeConversation(draws: Draws): Body {
  const request: OtlpRequest = liveKitRequest(draws.whole(1, 1e6), { spans: draws.whole(1, 12), conversations: 1 });
  for (let left = draws.whole(1, 6); left > 0; left--) replaceLeaf(draws, request);
  return { bytes: encodeJson(request), encoding: "json", gzip: false };
}

/** Replaces one member somewhere below `value` by an extreme value, or removes it. */
function replaceLeaf(draws: Draws, value: object): void {
  const members = Object.keys(value);
  if (members.length === 0) return;
  const name = draws.pick(members);
  const holder = value as Record<string, unknown>;
  const child = holder[name];
  if (typeof child === "object" && child !== null && draws.next() < 0.95) return replaceLeaf(draws, child);
  if (draws.next() < 0.1) delete holder[name];
  else holder[name] = structuredClone(draws.pick(EXTREMES));
}
