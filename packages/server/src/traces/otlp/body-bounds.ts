import { LIMITS } from "@svc/contract/constants";
import { AppError } from "../../errors.ts";
import { exceededBound } from "../../http/json-bounds.ts";

/** Counts what a body costs beyond its bytes, and refuses the body when that is too much. Both encodings count here. */
export class BodyBounds {
  #spansLeft = Infinity;
  #partsLeft = Infinity;
  #jsonValues = Infinity;

  /** Begins a body. A body that was accepted earlier, perhaps by an older version, has no bounds. */
  open(bounded: boolean): void {
    this.#spansLeft = bounded ? LIMITS.traceBodySpans : Infinity;
    this.#partsLeft = bounded ? LIMITS.traceBodyParts : Infinity;
    this.#jsonValues = bounded ? LIMITS.traceBodyJsonValues : Infinity;
  }

  /** Checks the whole text of a body in JSON, because members that the service ignores cost too. */
  json(text: Buffer): void {
    if (text.length < 2 * this.#jsonValues) return;
    if (exceededBound(text, { levels: Infinity, values: this.#jsonValues }) === undefined) return;
    throw tooMany(this.#jsonValues, "values in JSON");
  }

  span(): void {
    if (--this.#spansLeft < 0) throw tooMany(LIMITS.traceBodySpans, "spans");
  }

  /** Counts a resource, scope, attribute, event, link or value, which may have no content. */
  part(): void {
    if (--this.#partsLeft < 0) throw tooMany(LIMITS.traceBodyParts, "attributes, events, links and values");
  }
}

const tooMany = (limit: number, what: string) =>
  new AppError(
    "payload_too_large",
    `The body has more than ${limit.toLocaleString("en")} ${what}. None of its spans are accepted. Send smaller batches.`,
  );
