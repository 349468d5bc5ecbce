import { Readable } from "node:stream";
import { main } from "../../packages/cli/src/main.ts";
import type { CommandLine, Ended } from "./cli.ts";

// A process that runs command lines one after another, so that the specs load the code of the command line once.

process.on("message", (line: CommandLine) => void run(line).then((ended) => process.send!(ended)));
process.on("disconnect", () => process.exit(0));

async function run({ args, env, stdin }: CommandLine): Promise<Ended> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(stdin)]), configurable: true });
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  process.exitCode = undefined;
  await main(args);
  const exitCode = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

/** Collects the text that is written to the stream. The returned function restores the stream and returns the text. */
function collect(stream: NodeJS.WriteStream): () => string {
  let text = "";
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    const done = more.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
    return text;
  };
}
