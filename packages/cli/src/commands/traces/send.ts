import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import { counted } from "../../output.ts";
import { EXIT, usage } from "../../refusal.ts";
import { filesOf, readExport } from "../../traces/export-file.ts";
import { isAboutBody, openSender } from "../../traces/send-export.ts";

type FileReport = { file: string; spans: number; rejectedSpans: number; reason?: string };

export default command({
  description:
    "OTLP exports, protobuf or JSON, plain or gzip, told apart by their content. A folder stands for the exports in it. Sending again changes nothing. Needs a key of one project, in SVC_API_KEY or the profile.",
  examples: ["<%= config.bin %> traces send export.bin", "<%= config.bin %> traces send captures/ more.json.gz"],
  args: { files: Args.string({ description: "Files or folders.", required: true, multiple: true, ignoreStdin: true }) },
  async run(call) {
    const { args, note, progress } = call;
    const found = await filesOf(args.files);
    if (found.length === 0) throw usage("There is no file to send: name a folder with exports, or the files.");
    const send = await openSender(call);
    const files: FileReport[] = [];
    const skipped: string[] = [];
    const refused: { file: string; reason: string }[] = [];
    for (const [at, { path, named }] of found.entries()) {
      progress.now(`Sending ${at + 1} of ${counted(found.length, "file")}…`);
      const read = await readExport(path);
      if (typeof read === "string") {
        if (named) refused.push({ file: path, reason: read });
        else skipped.push(path);
        continue;
      }
      try {
        const { rejectedSpans, reason } = await send(read);
        files.push({ file: path, spans: read.spans, rejectedSpans, ...(reason && { reason }) });
      } catch (error) {
        if (!isAboutBody(error)) {
          if (files.length > 0)
            note(`${files.length} of ${counted(found.length, "file")} are stored; sending all again is safe.`);
          throw error;
        }
        refused.push({ file: path, reason: error.message });
      }
    }
    const total = (count: (file: FileReport) => number) => files.reduce((sum, file) => sum + count(file), 0);
    const rejectedSpans = total((file) => file.rejectedSpans);
    for (const { file, reason } of refused) note(`${file}: not sent: ${reason}.`.replace("..", "."));
    for (const { file, reason } of files) if (reason) note(`${file}: ${reason}`);
    return { acceptedSpans: total(({ spans }) => spans) - rejectedSpans, rejectedSpans, files, refused, skipped };
  },
  show: ({ acceptedSpans, rejectedSpans, files, skipped }) => {
    const rest = skipped.length > 0 ? `; passed over ${counted(skipped.length, "file")} that hold no export` : "";
    return `Accepted ${counted(acceptedSpans, "span")} of ${counted(files.length, "file")}, rejected ${rejectedSpans}${rest}.`;
  },
  exitCode: ({ rejectedSpans, refused }) => (rejectedSpans > 0 || refused.length > 0 ? EXIT.refused : EXIT.done),
});
