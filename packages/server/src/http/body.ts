import type { IncomingMessage } from "node:http";
import { LIMITS, lostNumbers } from "@svc/contract";
import { AppError } from "../base/errors.ts";
import { placeInJson } from "../base/json-place.ts";
import { exceededBound } from "./json-bounds.ts";
import { refusalOf } from "./refusal.ts";

const IDLE_MS = 30_000;
const HALF_PAIR = /\\u[dD][89a-fA-F]/;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Throws when the declared length of a body exceeds the limit. Does not read the body. */
export function checkDeclaredLength(request: IncomingMessage, limitBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

/** Reads the body. Throws when it exceeds the limit or stops arriving, whatever length was declared. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer[]> {
  checkDeclaredLength(request, limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: Error) => {
      request.off("data", take);
      request.resume();
      clearTimeout(idle);
      reject(error);
    };
    const idle = setTimeout(
      () => stop(new AppError("invalid_request", "The body stopped arriving. Send it again.")),
      IDLE_MS,
    );
    const take = (chunk: Buffer) => {
      idle.refresh();
      bytes += chunk.length;
      if (bytes > limitBytes) stop(tooLarge(limitBytes));
      else chunks.push(chunk);
    };
    request.on("data", take);
    request.once("end", () => {
      clearTimeout(idle);
      resolve(chunks);
    });
    request.once("error", stop);
    request.once("aborted", () =>
      stop(new AppError("invalid_request", "The connection closed before the body was complete.")),
    );
  });
}

/**
 * Returns the parsed JSON body; undefined for an empty body. Unless `roundsNumbers` is set, also throws for a number
 * that a double cannot represent exactly.
 */
export async function readJson(request: IncomingMessage, limitBytes: number, roundsNumbers = false): Promise<unknown> {
  const chunks = await readBody(request, limitBytes);
  if (chunks.length === 0) return undefined;
  if (mediaTypeOf(request) !== "application/json") {
    throw new AppError("unsupported_media_type", "Send JSON with `Content-Type: application/json`.");
  }
  refuseContentEncoding(request);
  const bytes = Buffer.concat(chunks);
  refuseLargeShape(bytes);
  let text: string;
  let json: unknown;
  try {
    text = UTF8.decode(bytes);
    json = JSON.parse(text, HALF_PAIR.test(text) ? requireWholePairs : undefined);
  } catch (error) {
    throw new AppError(
      "invalid_request",
      `The body is not valid JSON${placeInJson(error)}. Correct it and send it again.`,
      {
        issues: [{ path: "", message: "Not valid JSON." }],
      },
    );
  }
  if (!roundsNumbers) refuseLostNumbers(text);
  return json;
}

export const isForm = (request: IncomingMessage): boolean =>
  mediaTypeOf(request) === "application/x-www-form-urlencoded";

/** Returns these members of a form and ignores others, as OAuth 2.0 requires. Throws when a member occurs twice. */
export async function readForm(
  request: IncomingMessage,
  limitBytes: number,
  members: readonly string[],
): Promise<Record<string, string>> {
  const bytes = Buffer.concat(await readBody(request, limitBytes));
  refuseContentEncoding(request);
  const form = new URLSearchParams(bytes.toString());
  const read: Record<string, string> = {};
  for (const member of members) {
    const [value, ...others] = form.getAll(member);
    if (others.length > 0)
      throw new AppError("invalid_request", `Send \`${member}\` once.`, {
        issues: [{ path: member, message: "Occurs more than once." }],
      });
    if (value !== undefined) read[member] = value;
  }
  return read;
}

function mediaTypeOf(request: IncomingMessage): string {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

function refuseContentEncoding(request: IncomingMessage): void {
  if ((request.headers["content-encoding"] ?? "identity") === "identity") return;
  throw new AppError("unsupported_media_type", "Send the body without `Content-Encoding`.", undefined, {
    headers: { "Accept-Encoding": "identity" },
  });
}

const SHAPE_FAULTS = {
  levels: `Nest the body at most ${LIMITS.jsonBodyDepth} levels deep.`,
  values: `The body has more than ${LIMITS.jsonBodyValues.toLocaleString("en")} values. Send fewer, or several requests.`,
};

function refuseLargeShape(text: Buffer): void {
  const exceeded = exceededBound(text, { levels: LIMITS.jsonBodyDepth, values: LIMITS.jsonBodyValues });
  if (exceeded && exceeded !== "names")
    throw refusalOf("unprocessable", [{ path: "", message: SHAPE_FAULTS[exceeded] }]);
}

function refuseLostNumbers(text: string): void {
  const lost = lostNumbers(text);
  if (lost.length === 0) return;
  const message = "Programs that read JSON change this number. Send it as text, or with fewer digits.";
  throw refusalOf(
    "unprocessable",
    lost.map((path) => ({ path, message })),
  );
}

/** Throws for a text with a lone surrogate, because a lone surrogate has no UTF-8 form and the stores would change the text. */
function requireWholePairs(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed()))
    throw new SyntaxError("half a surrogate pair");
  return value;
}

const tooLarge = (limitBytes: number) =>
  new AppError("payload_too_large", `The body is larger than ${sizeOf(limitBytes)}. Send it in smaller parts.`);

const sizeOf = (bytes: number) => (bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`);
