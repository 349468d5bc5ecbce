import type { ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { clean } from "../terminal/terminal-text.ts";

const KEPT_CHARACTERS = 20_000;
const ENDING_CHARACTERS = 1_000;
/** Matches the text with which Python, Node or the framework reports an unhandled error. */
const UNHANDLED =
  /unhandled (?:exception|promise rejection|rejection|error)|uncaught (?:exception|error)|Traceback \(most recent call last\)/i;
/** Matches the framework's text in Python when the entrypoint raised an error. Other errors before the connection may be harmless. */
const FAILED_JOB = /unhandled exception while running the job task/;
const UNHANDLED_EACH = new RegExp(UNHANDLED, "gi");
const KEY = /svc_sk_[\w-]+/g;
/** Matches lines of the worker helpers and of OpenTelemetry's exporters about spans that were not delivered. */
const SPAN_PROBLEM = /^.*(?:\[svc\].*(?:does not know the key|not delivered|span)|failed to export).*$/gim;
const LINE_CHARACTERS = 300;

export type ProcessOutput = {
  length: () => number;
  /** Returns whether the output after its first `length` characters reports an unhandled error. */
  hasUnhandledError: (length: number) => boolean;
  hasFailedJob: () => boolean;
  /** Returns the end of an error message: the last unhandled error, or else the last lines. API keys and `secrets` are removed. */
  ending: () => string;
  /** The last line about spans that were not delivered, without API keys and `secrets`. */
  spanProblem: () => string | undefined;
};

/** Stores at most the last 20,000 characters. */
export function keepOutput({ stdout, stderr }: ChildProcess, secrets: readonly string[]): ProcessOutput {
  let kept = "";
  let written = 0;
  const keep = (text: string) => {
    written += text.length;
    kept = (kept + text).slice(-KEPT_CHARACTERS);
  };
  stdout?.setEncoding("utf8").on("data", keep);
  stderr?.setEncoding("utf8").on("data", keep);

  const shown = () => {
    const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, "…"), kept.replaceAll(KEY, "svc_sk_…"));
    return clean(stripVTControlCharacters(hidden).trim());
  };

  return {
    length: () => written,
    hasUnhandledError: (length) => written > length && UNHANDLED.test(kept.slice(-(written - length))),
    hasFailedJob: () => FAILED_JOB.test(kept),
    ending() {
      const text = shown();
      if (text === "") return "";
      const error = [...text.matchAll(UNHANDLED_EACH)].at(-1)?.index ?? Infinity;
      const from = Math.max(0, Math.min(error, text.length - ENDING_CHARACTERS));
      if (from === error) return ` Its last error:\n${text.slice(from, from + ENDING_CHARACTERS)}`;
      const last = text.slice(from);
      // The first line of a cut text is incomplete, so it is dropped.
      const lines = text.length > last.length && last.includes("\n") ? last.slice(last.indexOf("\n") + 1) : last;
      return ` Its last output:\n${lines}`;
    },
    spanProblem: () => shown().match(SPAN_PROBLEM)?.at(-1)?.trim().slice(0, LINE_CHARACTERS),
  };
}
