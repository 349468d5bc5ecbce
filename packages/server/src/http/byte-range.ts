import type { ByteRange } from "../stores/blobs/blobs.ts";

/**
 * Returns the bytes that a `Range` header selects. Without the header, with several ranges or with a malformed one it is
 * undefined, and the answer has all bytes.
 */
export function rangeOf(header: string, bytes: number): ByteRange | "behind the end" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  const suffix = first === "" ? Number(last) : 0;
  const start = first === "" ? Math.max(0, bytes - suffix) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes || (first === "" && suffix === 0)) return "behind the end";
  return first !== "" && last !== "" && Number(last) < start ? undefined : { start, end };
}
