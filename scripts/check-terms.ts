// Finds words for which the project has another term, in Markdown and in the comments of code:
//   node scripts/run.mjs scripts/check-terms.ts
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** The words to avoid, and for each the term of the glossary or the product's own spelling. */
const TERMS: readonly [word: RegExp, term: string][] = [
  [/\b[Pp]ostgres\b/, "PostgreSQL"],
  [/\b[Ss]qlite\b/, "SQLite"],
  [/\b([Dd]uckdb|DuckDb)\b/, "DuckDB"],
  [/\b[Cc]lickhouse\b/, "ClickHouse"],
  [/(?<![\w./@-])([Oo]pentelemetry|[Oo]pen telemetry)(?![\w./-])/, "OpenTelemetry"],
  [/(?<![\w./@-])[Ll]ivekit(?![\w./-])/, "LiveKit"],
  [/\b([Jj]ava|[Tt]ype)script\b/, "JavaScript, TypeScript"],
  [/\b[Gg]ithub\b/, "GitHub"],
  [/\bOpenai\b/, "OpenAI"],
  [/\bwhite-?list|\bblack-?list/i, "allow-list, block-list"],
  [/\bevaluators?\b/i, "grader"],
  [/\bevaluations?\b/i, "grade, verdict"],
  [/\btool (invocation|use)s?\b/i, "tool call"],
  [/\bchat (session|thread)s?\b/i, "conversation"],
  [/\bdialogues?\b/i, "conversation"],
  [/\bbot\b/i, "agent"],
];

const PATHS = ["*.ts", "*.tsx", "*.css", "*.mjs", "*.sql", "*.md", ":!CHANGELOG.md", ":!*check-terms*"];

/** Returns the prose of each line: Markdown without code, links and quotations, or a comment without them. */
export function proseOf(path: string, source: string): string[] {
  let inFence = false;
  return source.split("\n").map((line) => {
    if (path.endsWith(".md")) {
      if (/^\s*(```|~~~)/.test(line)) inFence = !inFence;
      if (inFence || /^\s*(```|~~~| {4})/.test(line)) return "";
    }
    const prose = path.endsWith(".md")
      ? line
      : (/^\s*(?:\/\/|\/\*+|\*|--)(.*)|.*\s\/\/ (.*)/.exec(line) ?? []).slice(1).join("");
    return prose.replaceAll(/`[^`]*`|\]\([^)]*\)|https?:\S+|"[^"]*"|“[^”]*”|\{@link [^}]*\}/g, "…");
  });
}

/** Returns the wrong words of a file with their lines. */
export const findingsIn = (path: string, source: string) =>
  proseOf(path, source).flatMap((prose, index) =>
    TERMS.flatMap(([word, term]) => {
      const found = word.exec(prose);
      return found === null ? [] : [{ line: index + 1, word: found[0], term }];
    }),
  );

if (import.meta.main) {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...PATHS], {
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => file !== "" && existsSync(file));
  const findings = files.flatMap((file) =>
    findingsIn(file, readFileSync(file, "utf8")).map(
      ({ line, word, term }) => `${file}:${line} "${word}": write ${term}`,
    ),
  );
  for (const finding of findings) console.log(finding);
  console.log(`${findings.length} findings in ${files.length} files.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
