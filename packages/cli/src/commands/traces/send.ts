import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import { counted } from "../../terminal/output.ts";
import { EXIT, usage } from "../../refusal.ts";
import { filesOf, readExport } from "../../traces/export-file.ts";
import { isAboutBody, sendExport } from "../../traces/send-export.ts";

type FileReport = { file: string; spans: number; rejectedSpans: number; reason?: string };

export default command({
  summary: "Send recorded spans from files",
  description:
    "Sends OTLP exports, in protobuf or JSON, plain or gzip. The content of a file decides its format. A folder stands for all exports in it and its subfolders. Sending a file again changes nothing. Needs a key of one project with the permission ingest, in SVC_API_KEY or the profile.",
  examples: ["<%= config.bin %> traces send export.bin", "<%= config.bin %> traces send captures/ more.json.gz"],
  args: { files: Args.string({ description: "Files or folders.", required: true, multiple: true, ignoreStdin: true }) },
  async run({ args, note, progress, startSession }) {
    const paths = await filesOf(args.files);
    if (paths.length === 0) throw usage("There is no file to send. Name files, or folders with exports.");
    const session = await startSession({ key: "ingest" });
    const files: FileReport[] = [];
    const skipped: string[] = [];
    const refused: { file: string; reason: string }[] = [];
    for (const [at, { path, isExplicit }] of paths.entries()) {
      progress.now(`Sending ${at + 1} of ${counted(paths.length, "file")}…`);
      const recorded = await readExport(path);
      if (typeof recorded === "string") {
        if (isExplicit) refused.push({ file: path, reason: recorded });
        else skipped.push(path);
        continue;
      }
      try {
        const { rejectedSpans, reason } = await sendExport(session, recorded, progress);
        files.push({ file: path, spans: recorded.spans, rejectedSpans, ...(reason && { reason }) });
      } catch (error) {
        if (!isAboutBody(error)) {
          if (files.length > 0)
            note(
              `The service stored ${files.length} of ${counted(paths.length, "file")}. You can send all files again.`,
            );
          throw error;
        }
        refused.push({ file: path, reason: error.message });
      }
    }
    const total = (count: (file: FileReport) => number) => files.reduce((sum, file) => sum + count(file), 0);
    const rejectedSpans = total((file) => file.rejectedSpans);
    for (const { file, reason } of refused) note(`${file} was not sent: ${reason}.`.replace("..", "."));
    for (const { file, reason } of files) if (reason) note(`${file}: ${reason}`);
    return { acceptedSpans: total(({ spans }) => spans) - rejectedSpans, rejectedSpans, files, refused, skipped };
  },
  show: ({ acceptedSpans, rejectedSpans, files, skipped }) => {
    const none = files.length === 0 ? " Name files or folders that an OpenTelemetry exporter or collector wrote." : "";
    const others = skipped.length > 0 ? ` Skipped ${counted(skipped.length, "file")} without an export.${none}` : "";
    return `Sent ${counted(files.length, "file")}: ${counted(acceptedSpans, "span")} accepted, ${rejectedSpans} rejected.${others}`;
  },
  exitCode: ({ files, rejectedSpans, refused }) =>
    files.length === 0 || rejectedSpans > 0 || refused.length > 0 ? EXIT.refused : EXIT.done,
});
