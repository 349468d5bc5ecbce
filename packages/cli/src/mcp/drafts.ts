import { idInput } from "@svc/contract";
import { z } from "zod";
import { usage } from "../refusal.ts";
import { draftOf, originOf, tracesOfGroup } from "../test-files/draft-files.ts";
import { writeDraftFile } from "../test-files/test-file.ts";
import { ANSWER_BYTES_MAX, bytesOf, DATA_NOTE, READS, said, tool, withoutUnseen } from "./tool.ts";

const CONVERSATIONS_MAX = 10;

const traceId = z.string().regex(/^[0-9a-f]{32}$/);
const Draft = z.strictObject({
  traceId: z.string(),
  fileName: z.string(),
  fileText: z.string().describe("The file to save, once a person has seen it."),
  needJudge: z.array(z.string()).describe("Behaviors that code cannot decide."),
  notes: z.array(z.string()).describe("What the test does not repeat, and what to replace."),
});

export const testsFromConversations = tool({
  name: "tests_from_conversations",
  title: "Draft tests from conversations",
  description:
    "Drafts a test file for each conversation, or for those of a failure group: its caller repeats its lines, its tools are mocked, and what failed is expected. Personal data is marked with [REPLACE: …]. Nothing is stored: show each file to the person, save it, then validate_tests and push_tests.",
  needs: "read",
  hints: READS,
  input: z.strictObject({
    groupId: idInput("grp").optional().describe("A group of `groups`, in place of traceIds."),
    traceIds: z.array(traceId).min(1).max(CONVERSATIONS_MAX).optional(),
  }),
  output: z.strictObject({
    note: z.string(),
    drafts: z.array(Draft),
    skipped: z.array(z.strictObject({ traceId: z.string(), reason: z.string() })),
    moreTraceIds: z.array(z.string()).describe("Conversations without room in this answer: call again with them."),
  }),
  async run({ groupId, traceIds }, { session }) {
    if ((groupId === undefined) === (traceIds === undefined)) throw usage("Name one of groupId and traceIds.");
    const wanted = traceIds ?? (await tracesOfGroup(session, groupId!, CONVERSATIONS_MAX));
    const left = [...new Set(wanted)];
    const drafts: z.input<typeof Draft>[] = [];
    const skipped: { traceId: string; reason: string }[] = [];
    const answer = () => ({
      value: { note: DATA_NOTE, drafts, skipped, moreTraceIds: left },
      text: `${drafts.length} drafts, ${skipped.length} skipped, ${left.length} more.`,
    });
    for (let id = left[0]; id !== undefined; id = left[0]) {
      const drafted = await draftOf(session, id);
      if (drafted.test === null) skipped.push({ traceId: id, reason: said(drafted.reason, 200) });
      else {
        const { test, fileName, notes } = drafted;
        const { readings } = await session.client.tests.readBehaviors({
          behaviors: test.expected_behaviors,
          mock_tools: test.mock_tools,
          project: session.projectId,
        });
        drafts.push({
          traceId: id,
          fileName,
          fileText: withoutUnseen(writeDraftFile(test, originOf(id))),
          needJudge: readings
            .filter(({ decided_by }) => decided_by !== "check")
            .map(({ behavior }) => said(behavior, 120)),
          notes: notes.map((line) => said(line, 300)),
        });
        if (bytesOf(answer()) > ANSWER_BYTES_MAX) {
          drafts.pop();
          if (drafts.length > 0) break;
          skipped.push({
            traceId: id,
            reason: `It is longer than an answer. \`svc tests from-traces ${id}\` writes it.`,
          });
        }
      }
      left.shift();
    }
    return answer();
  },
});
