import { LIMITS } from "@svc/contract/constants";
import { AppError } from "../../base/errors.ts";
import { exceededBound } from "../../http/json-bounds.ts";
import { MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";

const PIECE_PARTS = 16;

/** Limits the spans and the parts of a body, because a small body may have very many of them. */
export class BodyBounds {
  #spansLeft = Infinity;
  #partsLeft = Infinity;

  /**
   * Without `bounded`, there are no limits, because a body in the journal was accepted earlier, perhaps by an older
   * version.
   */
  open(bounded: boolean): void {
    this.#spansLeft = bounded ? LIMITS.traceBodySpans : Infinity;
    this.#partsLeft = bounded ? LIMITS.traceBodyParts : Infinity;
  }

  span(): void {
    if (--this.#spansLeft < 0) throw tooMany(LIMITS.traceBodySpans, "spans");
  }

  /** A part is a resource, scope, attribute, event, link or value. Even an empty part needs memory. */
  part(): void {
    this.#count(1);
  }

  /**
   * Counts a piece of a value that is sent in pieces. A piece counts as `PIECE_PARTS` parts, because all pieces stay in memory until the
   * last piece. No known sender sends pieces.
   */
  piece(): void {
    this.#count(PIECE_PARTS);
  }

  #count(parts: number): void {
    this.#partsLeft -= parts;
    if (this.#partsLeft < 0) throw tooMany(LIMITS.traceBodyParts, "attributes, events, links and values");
  }
}

/** Levels of JSON that the deepest accepted attribute needs: the containers around it, and two for each level of its value. */
const JSON_LEVELS = 64 + 2 * MAX_DEPTH;

/** Throws when `JSON.parse` could turn the body into objects of many times its size. Members that the decoder ignores count too. */
export function checkJsonBody(text: Buffer): void {
  const { traceBodyJsonValues: values, traceBodyJsonNames: names } = LIMITS;
  const exceeded = exceededBound(text, { levels: JSON_LEVELS, values, names });
  if (exceeded === "levels") throw new MalformedBody(`it is nested more than ${JSON_LEVELS} levels deep`);
  if (exceeded === "names") throw new MalformedBody(`its members have more than ${names} different names`);
  if (exceeded === "values") throw tooMany(values, "values in JSON");
}

const tooMany = (limit: number, what: string) =>
  new AppError(
    "payload_too_large",
    `The body has more than ${limit.toLocaleString("en")} ${what}. None of its spans are accepted. Send smaller batches.`,
  );
