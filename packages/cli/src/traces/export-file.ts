import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { OtlpBody } from "@svc/sdk";
import { readFault } from "../terminal/file-fault.ts";
import { usage } from "../refusal.ts";

export type RecordedExport = OtlpBody & { spans: number };

const LARGEST_BYTES = 20 * 1024 * 1024;
const MOST_FILES = 10_000;

/** `isExplicit` is true when an argument names the file itself, and not a folder that contains it. */
type ExportPath = { path: string; isExplicit: boolean };

/** A folder stands for all files in it and its subfolders. */
export async function filesOf(paths: readonly string[]): Promise<ExportPath[]> {
  const files: ExportPath[] = [];
  for (const path of paths) {
    const kind = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${path} ${readFault(error)}. Check the path.`);
    });
    if (!kind.isDirectory()) files.push({ path, isExplicit: true });
    else for (const inner of await filesBelow(path)) files.push({ path: inner, isExplicit: false });
    if (files.length > MOST_FILES)
      throw usage(`There are more than ${MOST_FILES} files. Send them with several commands.`);
  }
  return files;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns a text with the reason when the file contains no export. */
export async function readExport(path: string): Promise<RecordedExport | string> {
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
  if (protobuf === undefined)
    return "is not an OTLP trace export, in protobuf or JSON; send a file that an OpenTelemetry exporter or collector wrote";
  return { body: bytes, gzip, contentType: "application/x-protobuf", spans: protobuf };
}

async function readBounded(path: string): Promise<Uint8Array | string> {
  let file;
  try {
    file = await open(path, "r");
    const { size } = await file.stat();
    return size > LARGEST_BYTES ? "is larger than 20 MiB, the limit of one request" : await file.readFile();
  } catch (error) {
    return readFault(error);
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
    return tooLarge ? "inflates to more than 20 MiB, the limit of one request" : "is damaged gzip";
  }
}

// A protobuf export begins with the byte 0x0a. JSON may begin with the same byte, a line feed. So only a parser can decide.
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
