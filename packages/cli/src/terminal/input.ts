import { open } from "node:fs/promises";
import { lostNumbers } from "@svc/contract/constants";
import { Refusal, usage } from "../refusal.ts";
import { readFault } from "./file-fault.ts";

const LARGEST_BYTES = 1024 * 1024;

/**
 * Returns the content that a flag's value stands for: the content of a file for `@file`, and standard input for `-`. A value that
 * begins with `@@` stands for a text that begins with `@`. Any other value is the content itself.
 */
export async function contentOf(value: string): Promise<string> {
  if (value === "-") return readStandardInput();
  if (value.startsWith("@@")) return value.slice(1);
  if (value.startsWith("@")) return readText(value.slice(1));
  return value;
}

export const jsonOf = async (value: string, option: string): Promise<unknown> =>
  parsed(
    await contentOf(value),
    `${option} is not JSON. Write JSON with names and texts in double quotes, such as {"slots": ["10:00"]}, @file for a file with JSON, or - for standard input.`,
  );

export const jsonFile = async (path: string): Promise<unknown> =>
  parsed(
    path === "-" ? await readStandardInput() : await readText(path),
    `${path} does not hold JSON. Correct the file.`,
  );

function parsed(text: string, refusal: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw usage(refusal);
  }
  const [lost] = lostNumbers(text);
  if (lost === undefined) return json;
  const number = lost === "" ? "this number" : `the number at \`${lost}\``;
  throw usage(`Programs that read JSON change ${number}. Write it in quotes, or with fewer digits.`);
}

export async function readStandardInput(): Promise<string> {
  if (process.stdin.readableEnded)
    throw usage("Only one option can read standard input. Use `-` for one option and @file for the others.");
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
    throw usage(`${path} ${readFault(error)}. Check the path. For a text that begins with @, write @@.`);
  } finally {
    await file?.close();
  }
}

const tooLarge = (name: string) => usage(`${name} is larger than 1 MiB, the largest input of a command. Shorten it.`);
