import { fit } from "./terminal-text.ts";

const SHOWN_AFTER_MS = 1000;

export type ProgressLine = {
  /** Whether a person can see the progress line. */
  live: boolean;
  /** Sets the text of the line. The line appears if the work takes more than a second. */
  now(text: string): void;
  clear(): void;
};

/**
 * Creates a progress line on standard error, at the bottom of the terminal. Prints nothing if the output is not a terminal,
 * because the line could not be erased there.
 */
export function createProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!stream.isTTY || process.env.TERM === "dumb") return { live: false, now() {}, clear() {} };
  let current = "";
  let shown = false;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    shown = true;
    stream.write(`\r\x1b[2K${fit(current, (stream.columns || 80) - 1)}`);
  };
  return {
    live: true,
    now(text) {
      current = text;
      if (shown) draw();
      else timer ??= setTimeout(draw, SHOWN_AFTER_MS).unref();
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      if (shown) stream.write("\r\x1b[2K");
      shown = false;
    },
  };
}
