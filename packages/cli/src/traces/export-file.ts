import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { OtlpBody } from "@svc/sdk";
import { usage } from "../refusal.ts";

/** A recorded OTLP export. */
export type Export = OtlpBody & { spans: number };

const LARGEST_BYTES = 20 * 1024 * 1024;
const MOST_FILES = 10_000;

export type Found = { path: string; named: boolean };

/** The files that the arguments name; a folder stands for the files in it and below. */
export async function filesOf(paths: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const path of paths) {
    const kind = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${path} cannot be read (${error.code}): check the path.`);
    });
    if (!kind.isDirectory()) found.push({ path, named: true });
    else for (const inner of await filesBelow(path)) found.push({ path: inner, named: false });
    if (found.length > MOST_FILES) throw usage(`These are more than ${MOST_FILES} files: send them in several calls.`);
  }
  return found;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Reads a file and tells by its content whether it is an export; a text says why it is none. */
export async function readExport(path: string): Promise<Export | string> {
  const bytes = await readBounded(path);
  if (typeof bytes === "string") return bytes;
  if (bytes.length === 0) return "is empty";
  const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = gzip ? await inflated(bytes) : bytes;
  if (typeof plain === "string") return plain;
  const json = spansInJson(plain);
  if (json !== undefined) return { body: bytes, gzip, contentType: "application/json", spans: json };
  const { spansInRequest } = await import("@svc/sdk");
  const protobuf = spansInRequest(plain);
  if (protobuf === undefined) return "is no OTLP trace export, neither protobuf nor JSON";
  return { body: bytes, gzip, contentType: "application/x-protobuf", spans: protobuf };
}

async function readBounded(path: string): Promise<Uint8Array | string> {
  let file;
  try {
    file = await open(path, "r");
    const { size } = await file.stat();
    return size > LARGEST_BYTES ? "is larger than 20 MiB, the most that one request holds" : await file.readFile();
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  } finally {
    await file?.close();
  }
}

const gunzipBounded = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

async function inflated(bytes: Uint8Array): Promise<Uint8Array | string> {
  try {
    return await gunzipBounded(bytes, { maxOutputLength: LARGEST_BYTES });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "inflates to more than 20 MiB, the most that one request holds" : "is broken gzip";
  }
}

// A protobuf export begins with byte 0x0a, which is a line feed: only what parses as JSON is JSON.
function spansInJson(bytes: Uint8Array): number | undefined {
  if (!/^[\ufeff\s]*\{/.test(Buffer.from(bytes.subarray(0, 256)).toString("utf8"))) return undefined;
  try {
    const { resourceSpans } = JSON.parse(new TextDecoder().decode(bytes)) as JsonExport;
    if (!Array.isArray(resourceSpans)) return undefined;
    const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans ?? []);
    return scopes.reduce((sum, { spans }) => sum + (spans?.length ?? 0), 0);
  } catch {
    return undefined;
  }
}

type JsonExport = { resourceSpans?: { scopeSpans?: { spans?: unknown[] }[] }[] };
