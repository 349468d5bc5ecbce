import { type Operation } from "@svc/contract";
import type { Context } from "koa";
import { z } from "zod";
import type { AnswerKind, AnswerSlot, AnswerSlots } from "./answer-slots.ts";
import { ClientGone, goneSignal } from "./gone.ts";
import { encodeJson, JsonAnswer } from "./json-pieces.ts";
import type { LargeBody } from "./send-pieces.ts";

/** Bytes that a request reserves for its answer while the size of the answer is not known. */
const LIST_BYTES = 1024 * 1024;

export type Answering = {
  gone: AbortSignal;
  /** Releases the current slot, then waits for a slot of this kind for an answer of `bytes`. */
  takeSlot: (kind: AnswerKind, bytes?: number) => Promise<void>;
  /** Writes the answer: a large one in pieces, as fast as the client reads them. */
  write: (answer: unknown) => Promise<void>;
};

/** Operations that answer with lists and take no slot before their handler runs. The value is the reason. */
const WITHOUT_TURN: Record<string, string> = {
  "capabilities.get": "It may wait for providers, and its size does not depend on stored records.",
  "capabilities.models": "It may wait for providers, and its size does not depend on stored records.",
  "traces.get": "It may wait for spans, and takes its slot when it reads.",
  "recordings.ofSimulation": "Its size is bounded.",
  "recordings.ofConversation": "Its size is bounded.",
  "runs.events": "It waits for events, and a page of them is small.",
};

export const takesTurn = (name: string, op: Operation): boolean =>
  name === "traces.remap" || (op.method === "GET" && hasList(op.answer) && !(name in WITHOUT_TURN));

function hasList(schema: unknown): boolean {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape).some(hasList);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return hasList(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.some(hasList);
  return schema instanceof z.ZodArray;
}

/** The request's slot is released when the connection closes or has taken the whole answer. */
export function answeringOf(ctx: Context, slots: AnswerSlots, organization: string): Answering {
  let signal: AbortSignal | undefined;
  const gone = () => (signal ??= goneSignal(ctx.res));
  let slot: AnswerSlot | undefined;
  const release = () => {
    slot?.release();
    slot = undefined;
  };

  async function takeSlot(kind: AnswerKind, bytes = LIST_BYTES): Promise<void> {
    if (slot === undefined) ctx.res.once("close", release);
    release();
    const taken = await slots.take(organization, kind, bytes, gone());
    // The connection may have closed while the request waited for the slot.
    if (gone().aborted) {
      taken.release();
      throw gone().reason;
    }
    slot = taken;
  }

  async function write(answer: unknown): Promise<void> {
    const json = answer instanceof JsonAnswer ? answer : await encodeJson(answer, () => !ctx.res.destroyed);
    if (ctx.res.destroyed) throw new ClientGone();
    slot?.resize(json.bytes);
    slot?.made();
    ctx.type = "json";
    if (json.pieces.length === 1) {
      ctx.body = viewOf(json.pieces[0]!);
      return;
    }
    ctx.length = json.bytes;
    let unsent = json.bytes;
    const sent = (bytes: number) => slot?.resize((unsent -= bytes));
    ctx.state.largeBody = { answer: json, sent } satisfies LargeBody;
  }

  return {
    get gone() {
      return gone();
    },
    takeSlot,
    write,
  };
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);
