import { open } from "node:fs/promises";
import { Refusal, usage } from "./refusal.ts";

const LARGEST_BYTES = 1024 * 1024;

/** The content that an option names: the text itself, `@file` for a file's, `-` for standard input's. */
export async function contentOf(value: string): Promise<string> {
  if (value === "-") return readStandardInput();
  if (value.startsWith("@@")) return value.slice(1);
  if (value.startsWith("@")) return readText(value.slice(1));
  return value;
}

/** As `contentOf`, parsed as JSON. */
export const jsonOf = async (value: string, what: string): Promise<unknown> =>
  parsed(await contentOf(value), `${what} is not JSON: give JSON, @file with JSON, or - for standard input.`);

/** The JSON of a file, or of standard input when the path is `-`. */
export const jsonFile = async (path: string): Promise<unknown> =>
  parsed(path === "-" ? await readStandardInput() : await readText(path), `${path} does not hold JSON: check it.`);

function parsed(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(otherwise);
  }
}

export async function readStandardInput(): Promise<string> {
  if (process.stdin.readableEnded)
    throw usage("Standard input can be read once: give one option as `-`, the others as @file.");
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LARGEST_BYTES) throw tooLarge("Standard input");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

async function readText(path: string): Promise<string> {
  let file;
  try {
    file = await open(path, "r");
    if ((await file.stat()).size > LARGEST_BYTES) throw tooLarge(path);
    return await file.readFile("utf8");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw usage(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}): check the path; write @@ for a text that begins with @.`,
    );
  } finally {
    await file?.close();
  }
}

const tooLarge = (what: string) => usage(`${what} holds more than 1 MiB, more than any command takes: shorten it.`);
