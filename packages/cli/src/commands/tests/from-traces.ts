import { Args, Flags } from "@oclif/core";
import { LIMITS } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";
import { writeDrafts, writtenText } from "../../test-files/write-drafts.ts";

const FROM_GROUP = 5;

export default command({
  summary: "Write test files from conversations that failed",
  description:
    "In each file, the caller repeats the caller's words of the conversation, and the test expects the behaviors that failed. Personal data is marked with [REPLACE: …]. The command creates no test: edit the files, then push them. Existing files do not change. Several conversations with the same failing words make one file.",
  examples: [
    "<%= config.bin %> tests from-traces --group grp_01k7m2x3v4e5f6g7h8j9k0m1n2 --dir tests/failures",
    "<%= config.bin %> tests from-traces e87a0e1465e1d06e8d979e00fd1fec2a 5b8efff798038103d269b633813fc60c",
  ],
  args: {
    ids: Args.string({
      description: "Ids of the conversations' traces, from `svc traces list`.",
      ignoreStdin: true,
      multiple: true,
    }),
  },
  flags: {
    group: Flags.string({ description: "Id of a failure group, from `svc groups list`.", helpValue: "<grp_…>" }),
    dir: Flags.string({ description: "The folder for the files.", default: "tests", helpValue: "<folder>" }),
    limit: Flags.integer({
      description: "Largest number of conversations of the group.",
      min: 1,
      max: LIMITS.conversationsOfDrafts,
      default: FROM_GROUP,
      helpValue: "<count>",
    }),
  },
  async run({ args, startSession, flags, note }) {
    const ids = [...new Set(args.ids)];
    if ((flags.group === undefined) === (ids.length === 0))
      throw usage("Name a failure group with --group, or the ids of conversations. Not both.");
    if (ids.length > LIMITS.conversationsOfDrafts)
      throw usage(`Name at most ${LIMITS.conversationsOfDrafts} conversations.`);
    const session = await startSession();
    const { draftOf, originOf, tracesOfGroup } = await import("../../test-files/draft-files.ts");
    const traceIds = flags.group === undefined ? ids : await tracesOfGroup(session, flags.group, flags.limit);
    const files: string[] = [];
    const kept: string[] = [];
    const skipped: { traceId: string; reason: string }[] = [];
    for (const traceId of traceIds) {
      const draft = await draftOf(session, traceId);
      if (draft.test === null) {
        skipped.push({ traceId, reason: draft.reason });
        continue;
      }
      const drafted = await writeDrafts(flags.dir, [draft.test], originOf(traceId));
      files.push(...drafted.written);
      kept.push(...drafted.kept);
      for (const file of drafted.written) for (const line of draft.notes) note(`${file}: ${line}`);
    }
    for (const { traceId, reason } of skipped) note(`${traceId}: ${reason}`);
    return { files, kept, skipped };
  },
  show: ({ files, kept }, { flags }) =>
    files.length + kept.length === 0
      ? "Wrote no file: no conversation has words that a test could repeat."
      : [
          ...writtenText({ written: files, kept }),
          "",
          `Edit them, then push them with \`svc tests push ${flags.dir}\`.`,
        ].join("\n"),
});
