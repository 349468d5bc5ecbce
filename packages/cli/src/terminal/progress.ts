import { fit } from "./terminal-text.ts";

const SHOWN_AFTER_MS = 1000;

export type ProgressLine = {
  /** Whether the progress line is visible, because the output is a terminal. */
  live: boolean;
  /** The line appears one second after the first text. */
  now(text: string): void;
  clear(): void;
};

/** Prints nothing when the output is no terminal, because the line could not be erased there. */
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
