import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { asRefusal, isSvcError, Refusal } from "../../refusal.ts";
import { reportOf } from "../../runs/report.ts";
import { requirementOf } from "../../runs/requirement.ts";
import { resultText } from "../../runs/result-text.ts";
import { startRun } from "../../runs/start-run.ts";
import { counted } from "../../terminal/output.ts";
import { clean, cleaned, jsonText } from "../../terminal/terminal-text.ts";
import type { FolderContent } from "../../test-files/folder.ts";

export default command({
  summary: "Play a test whenever its file changes",
  description:
    "Pushes each file that you save, plays its test and prints the result, until Ctrl-C. Ctrl-C also cancels a run that is under way. `agent`, `iterations` and `require` in a file take precedence over the flags. With --json, each line is a result.",
  examples: [
    '<%= config.bin %> tests watch tests/ --agent "Front desk"',
    '<%= config.bin %> tests watch tests/books-a-room.md --agent-command "node agent.js"',
  ],
  args: {
    path: argument("One Markdown file, or a folder, which stands for all Markdown files in it and its subfolders."),
  },
  flags: {
    agent: Flags.string({ description: "Id or exact name of the agent. Default: the only agent." }),
    connection: Flags.string({
      description: "Id or exact name of the agent's connection. Default: the agent's only connection.",
    }),
    "agent-command": Flags.string({
      description: "Start this agent on this machine for each simulation, as in `svc runs start`.",
      helpValue: "<command>",
    }),
    iterations: Flags.integer({ description: "Times to run each test with each persona. Default: 1.", min: 1 }),
    require: Flags.string({
      description: "Share of the iterations that must pass, as 4/5 or 80%. Default: all.",
      helpValue: "<share>",
    }),
    suite: Flags.string({ description: 'Suite of new tests whose file names none. Default: the suite "Default".' }),
  },
  async run(invocation) {
    const { args, flags, startSession, note, progress } = invocation;
    const { readFolder, readTests, skippedText } = await import("../../test-files/folder.ts");
    const { problemLine, pushFiles } = await import("../../test-files/push-files.ts");
    const { watchFolder } = await import("../../test-files/watch-folder.ts");
    const { runsOf } = await import("../../runs/file-runs.ts");
    requirementOf(flags.require); // Throws for a wrong share before the first change.
    const { "agent-command": agentCommand, connection, suite } = flags;
    const session = await startSession();
    const { files, problems, skipped } = await readTests(args.path);
    if (skipped.length > 0) note(`Skipped: ${skippedText(skipped)}.`);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.once("SIGINT", stop).once("SIGTERM", stop);
    const changes = await watchFolder(args.path, stopped.signal);
    const seen = new Map(files.map(({ path, text }) => [path, text]));
    let known = new Set(problems.map(problemLine));
    for (const problem of problems) note(problemLine(problem));
    note(`Watching ${counted(seen.size, "test")}. Save a file to play its test; Ctrl-C ends.`);
    try {
      for await (const _ of changes) {
        await playChanged().catch((error: unknown) => {
          if (!(error instanceof Refusal) && !isSvcError(error)) throw error;
          progress.clear();
          note(asRefusal(error).message);
        });
      }
    } finally {
      process.off("SIGINT", stop).off("SIGTERM", stop);
    }

    async function playChanged(): Promise<void> {
      const content = await readFolder(args.path);
      for (const problem of content.problems) if (!known.has(problemLine(problem))) note(problemLine(problem));
      known = new Set(content.problems.map(problemLine));
      const broken = new Set(content.problems.map(({ path }) => path));
      const changed = content.files.filter(({ path, text }) => !broken.has(path) && seen.get(path) !== text);
      for (const path of broken) seen.delete(path);
      for (const { path, text } of changed) seen.set(path, text);
      if (changed.length > 0) await play({ ...content, files: changed, problems: [] });
    }

    async function play(content: FolderContent): Promise<void> {
      const pushed = await pushFiles(session, content, { suite });
      const tests = content.files.map(({ test }, index) => ({ file: test, versionId: pushed[index]!.version_id! }));
      for (const { testVersions, require, ...own } of runsOf(tests, flags)) {
        const run = { tests: { testVersions }, ...own };
        const options = { connection, agentCommand, concurrency: undefined, isDryRun: false, waits: true };
        const started = await startRun(invocation, session, run, { ...options, cancels: stopped.signal });
        if (!("result" in started)) continue;
        progress.clear();
        const requirement = requirementOf(require);
        const text = flags.json
          ? jsonText(reportOf(started.result, requirement), 0)
          : `${resultText(cleaned(started.result), { requirement })}\n`;
        process.stdout.write(`${clean(text)}\n`);
      }
    }
  },
  show: () => "",
});
