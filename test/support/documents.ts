import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";

/** A fenced block of a document, with the mark in the comment above it. */
export type Block = { file: string; line: number; language: string; text: string; mark: Mark | undefined };

/** `<!-- not run: REASON -->` or `<!-- run by FILE -->`: another spec runs the block. */
type Mark = { notRun: string } | { runBy: string };

/** The documents for people: the README, the pages of docs/, and the READMEs of packages, examples and the action. */
export const documents = (): string[] =>
  execFileSync("git", ["ls-files", "--deduplicate", "--cached", "--others", "--exclude-standard", "*.md"], {
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .filter((file) => /^(?:docs\/[\w-]+|README|SECURITY|(?:packages|examples|action)\b.*\bREADME)\.md$/.test(file));

const FENCE = /(?:^<!-- (not run|run by):? ([^\n]+?) -->\n\n?)?^```(\w*)\n([^]*?)^```$/gm;

/** Returns the fenced blocks of a document. */
export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(FENCE)].map(({ 0: whole, 1: kind, 2: about, 3: language, 4: code, index }) => ({
    file,
    line: text.slice(0, index + whole.indexOf("```")).split("\n").length,
    language: language!,
    text: code!,
    mark: kind === undefined ? undefined : kind === "not run" ? { notRun: about! } : { runBy: about! },
  }));
}
