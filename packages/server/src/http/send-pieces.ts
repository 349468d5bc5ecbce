import type { ServerResponse } from "node:http";
import type { Middleware } from "koa";
import type { JsonAnswer } from "./json-pieces.ts";

/** An answer that is sent after all middleware has run. `sent` gets the number of bytes of each piece that the connection has accepted. */
export type LargeBody = { answer: JsonAnswer; sent: (bytes: number) => void };

/** Sends the answer in `ctx.state.largeBody`, if there is one, piece by piece, as fast as the client reads it. */
export const sendLargeBodies: Middleware = async (ctx, next) => {
  await next();
  const body = ctx.state.largeBody as LargeBody | undefined;
  if (body === undefined || ctx.respond === false) return;
  ctx.respond = false;
  if (ctx.method === "HEAD") ctx.res.end();
  else void send(ctx.res, body);
};

async function send(response: ServerResponse, { answer, sent }: LargeBody): Promise<void> {
  for (const piece of answer.pieces) {
    const bytes = piece.byteLength;
    if (!(await isTaken(response, piece))) return;
    free(piece);
    sent(bytes);
  }
  response.end();
}

function isTaken(response: ServerResponse, piece: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const closed = () => resolve(false);
    response.once("close", closed);
    response.write(piece, (error) => {
      response.off("close", closed);
      resolve(!error);
    });
  });
}

/**
 * Frees the memory of a sent piece immediately. Otherwise megabytes of garbage outside the heap would make the garbage collector stop the
 * whole service.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
