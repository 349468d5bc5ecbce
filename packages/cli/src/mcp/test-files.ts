import { type ApiBehaviorReading, idInput, LIMITS, operations } from "@svc/contract";
import { z } from "zod";
import { usage } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { type FolderContent, readEach, readTests, writeNew } from "../test-files/folder.ts";
import { contentProblems } from "../test-files/check-content.ts";
import { checkAtService } from "../test-files/dry-run.ts";
import { pushFiles } from "../test-files/push-files.ts";
import { type FilesState, type KnownTest, stateOfSent } from "../test-files/state-file.ts";
import { withoutNoDelay, writeDraftFile } from "../test-files/test-file.ts";
import { firstThatFits, READS, said, type Tool, tool } from "./tool.ts";

const Reading = z.strictObject({
  behavior: z.string(),
  decidedBy: z
    .string()
    .describe("`check`: code. `judge`: a language model. `nobody`: it needs a language model, and none is set."),
  reading: z.string(),
  suggestion: z.string().nullable().describe("A sentence of the nearest form, with tools and words of another agent."),
  problem: z.string().nullable(),
});

const readingOf = ({ behavior, decided_by, reading, suggestion, problem }: ApiBehaviorReading, most: number) => ({
  behavior: said(behavior, most),
  decidedBy: decided_by,
  reading: said(reading, most),
  suggestion: suggestion && said(suggestion, most),
  problem: problem && said(problem, most),
});

export const readBehaviors = tool({
  name: "read_behaviors",
  title: "Read behaviors",
  description:
    "Shows how the service understands sentences of expected behavior, before a test has them: what code decides, what needs a language model, and a sentence of each form that code decides. `calls X` needs a call that succeeds; of a tool that fails, write: handles an error of `X`. Code decides the order of tool calls, not of spoken words: for that, write a shorter test that ends before. Over http_chat with format openai, and in calls with sound, behaviors about tools are undecided in a conversation without a visible tool call.",
  needs: "read",
  hints: READS,
  input: z.strictObject({ behaviors: z.array(z.string().min(1).max(LIMITS.behaviorCharacters)).min(1).max(10) }),
  output: z.strictObject({
    hasJudge: z.boolean(),
    readings: z.array(Reading),
    forms: z
      .array(z.string())
      .describe("A sentence of each form that code decides; empty when code decides every behavior."),
  }),
  async run({ behaviors }, { session: { client, projectId } }) {
    const { readings, has_judge, forms } = await client.tests.readBehaviors({ behaviors, project: projectId });
    const byCode = readings.filter(({ decided_by }) => decided_by === "check").length;
    return firstThatFits(
      [600, 300, 100, 30].map((most) => () => ({
        value: {
          hasJudge: has_judge,
          readings: readings.map((reading) => readingOf(reading, most)),
          forms: byCode === readings.length ? [] : forms,
        },
        text: `Code decides ${byCode} of ${readings.length}.`,
      })),
    );
  },
});

const FolderInput = z.strictObject({
  path: z.string().min(1).describe("Folder with tests as Markdown files, or one file, on this machine."),
});
const FilesInput = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(200).describe("Its name in your folder, for the answer."),
        text: z.string().min(1).max(100_000),
        id: idInput("tst").optional(),
        versionId: idInput("tstv").optional(),
      }),
    )
    .min(1)
    .max(50),
});
const Problem = z.strictObject({ path: z.string(), line: z.int(), problem: z.string() });
const CHECKED = {
  problems: z.array(Problem),
  moreProblems: z.int(),
  needJudge: z.array(z.string()).describe("Behaviors that code cannot decide."),
  notChecked: z.string().nullable().describe("Why the service was not asked; null when it was."),
};
/** Maximum numbers of problems, and of behaviors that need a judge, in an answer. The first number whose answer fits is used. */
const SHOWN = [20, 8, 2];
/** Maximum length of a file's text in an answer, in characters of JSON. */
const FILE_CHARACTERS_MAX = 6_000;
/** Maximum numbers of tests in an answer. */
const TESTS_SHOWN = [50, 30, 15];

/** Source of test files for tools: the assistant's machine, or the call itself. */
type FileSource<Input extends z.ZodObject> = {
  input: Input;
  /** Words after "test files" in descriptions of tools. */
  where: string;
  /** Sentence about the edit of an existing test; empty when the file is enough. */
  edits: string;
  /** `known` has the versions on which the files are based; undefined when the folder's state file has them. */
  read: (input: z.output<Input>) => Promise<Content>;
};

type Content = FolderContent & { known?: FilesState };

const ON_THIS_MACHINE: FileSource<typeof FolderInput> = {
  input: FolderInput,
  where: "on this machine",
  edits: "",
  read: ({ path }) => readTests(path),
};

const IN_THE_CALL: FileSource<typeof FilesInput> = {
  input: FilesInput,
  where: "whose text you send",
  edits: " To edit a test, send the `id` and `versionId` of the answer that stored it.",
  async read({ files }) {
    const known = new Map<string, KnownTest>();
    for (const { path, id, versionId } of files)
      if (id !== undefined && versionId !== undefined)
        known.set(path, { id, version_id: versionId, name: "", tags: [] });
    const content = await readEach(files.map(({ path, text }) => ({ path, text: () => text })));
    return { folder: "", ...content, skipped: [], known: stateOfSent(known) };
  },
};

const FILE_FORM = `A file:
---
name: Books a room
suite: Booking
mock_tools:
  - tool: book_room
    answer: { booked: true }
---

## Scenario

Ana calls to book a room.

Says: I would like a room.
Facts: date = Friday; nights = two

## Expected behaviors

- calls book_room with nights=2

The caller says the \`Says\` lines one after the other, \`Says (after /booked/): …\` once the agent has said the words, and a fact when the agent asks for it. After the last line the conversation ends.`;

const validateTests = <Input extends z.ZodObject>({ input, read, where }: FileSource<Input>) =>
  tool({
    name: "validate_tests",
    title: "Check test files",
    description: `Checks test files ${where} without storing anything: what a push would refuse, each with its line, and which behaviors need a language model. ${FILE_FORM}`,
    needs: "read",
    hints: READS,
    input,
    output: z.strictObject({ tests: z.int(), ...CHECKED }),
    async run(given, { session }) {
      const content = await read(given);
      const { problems, show } = await checked(content, session);
      const { length } = content.files;
      const text = problems === 0 ? `${length} tests, all valid.` : `${problems} problems.`;
      return firstThatFits(SHOWN.map((most) => () => ({ value: { tests: length, ...show(most) }, text })));
    },
  });

/** `show` lists at most `most` problems, and at most `most` behaviors that need a judge. */
async function checked({ folder, files, problems, known }: Content, session: Session) {
  const faults = [...problems, ...contentProblems(files)];
  const invalid = new Set(faults.map((fault) => fault.path));
  const valid = files.filter((file) => !invalid.has(file.path));
  const found = await checkAtService({ folder, files: valid, known }, async () => session);
  const all = [...faults, ...found.problems, ...found.conflicts, ...found.withoutAgent];
  const readings = (found.files ?? []).flatMap((file) => file.readings);
  const needJudge = readings.filter(({ decided_by }) => decided_by !== "check").map(({ behavior }) => behavior);
  const show = (most: number): z.input<z.ZodObject<typeof CHECKED>> => ({
    problems: all
      .slice(0, most)
      .map((one) => ({ path: said(one.path, 200), line: one.line, problem: said(one.fault, 250) })),
    moreProblems: Math.max(0, all.length - most),
    needJudge: needJudge.slice(0, most).map((behavior) => said(behavior, 120)),
    notChecked: found.reason,
  });
  return { problems: all.length, needJudge: needJudge.length, show };
}

const { project: _, suite: __, unlisted: ___, ...newTest } = operations.tests.create.body.shape;
const NewTest = z.strictObject({ ...newTest, suite: operations.tests.import.body.shape.suite });
const PlacedTest = NewTest.extend({
  path: z.string().endsWith(".md").max(1_000).describe("The new file, on this machine."),
});
const Written = z.strictObject({
  path: z.string().nullable().describe("The file that was written; null when none was."),
  fileText: z.string().nullable().describe("The text of the file to save; null when it is written."),
  ...CHECKED,
});

/** Writes nothing when the test has a problem. */
const writeTest = <Input extends typeof NewTest>(
  input: Input,
  hints: Tool["hints"],
  does: string,
  write: (given: z.output<Input>, text: string) => Promise<Pick<z.input<typeof Written>, "path" | "fileText">>,
) =>
  tool({
    name: "write_test",
    title: "Write a test file",
    description: `${does} Nothing reaches the service: show the file to the person, then push_tests. A test with problems is not written; the answer says what to correct. Write behaviors that code decides first: read_behaviors says how the service understands each. A mock tool: {"tool": "book_room", "answer": {"booked": true}}, or "error" in place of "answer".`,
    needs: "read",
    hints,
    input,
    output: Written,
    async run(given, { session }) {
      const { name, suite, scenario, expected_behaviors, personas = [], mock_tools = [] } = given;
      const suited = suite === undefined ? {} : { suite };
      const test = { name, ...suited, scenario, expected_behaviors, personas, mock_tools: withoutNoDelay(mock_tools) };
      const text = writeDraftFile(test, "Written by a coding assistant.");
      const path = "path" in given ? String(given.path) : "test.md";
      const content = { folder: "", ...(await readEach([{ path, text: () => text }])), skipped: [] };
      const { problems, needJudge, show } = await checked(content, session);
      const written = problems > 0 ? { path: null, fileText: null } : await write(given, text);
      const short = problems > 0 ? `${problems} problems: nothing is written.` : `Valid. ${needJudge} need a judge.`;
      return firstThatFits(SHOWN.map((most) => () => ({ value: { ...written, ...show(most) }, text: short })));
    },
  });

const pushTests = <Input extends z.ZodObject>({ input, read, where, edits }: FileSource<Input>) =>
  tool({
    name: "push_tests",
    title: "Store tests of files",
    description: `Creates and edits the tests of files ${where}, all of them or none. Show the files to the person first. A test that somebody else edited is refused.${edits}`,
    needs: "write",
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input,
    output: z.strictObject({
      created: z.int(),
      edited: z.int(),
      unchanged: z.int(),
      tests: z.array(z.strictObject({ name: z.string(), id: z.string().nullable(), versionId: z.string().nullable() })),
      moreTests: z.int(),
    }),
    async run(given, { session }) {
      const content = await read(given);
      const pushed = await pushFiles(session, content, { known: content.known, records: content.known === undefined });
      const count = (kind: string) => pushed.filter((one) => one.kind === kind).length;
      const counts = { created: count("create"), edited: count("edit"), unchanged: count("unchanged") };
      const text = `${counts.created} created, ${counts.edited} edited, ${counts.unchanged} unchanged.`;
      const tests = pushed.map(({ name, id, version_id }) => ({ name: said(name, 80), id, versionId: version_id }));
      return firstThatFits(
        TESTS_SHOWN.map((most) => () => {
          const moreTests = Math.max(0, tests.length - most);
          return { value: { ...counts, tests: tests.slice(0, most), moreTests }, text };
        }),
      );
    },
  });

export const ofThisMachine = {
  writeTest: writeTest(
    PlacedTest,
    { ...READS, readOnlyHint: false, destructiveHint: false },
    "Writes a test as a new Markdown file on this machine.",
    async ({ path }, text) => {
      await writeNew(path, text);
      return { path, fileText: null };
    },
  ),
  validateTests: validateTests(ON_THIS_MACHINE),
  pushTests: pushTests(ON_THIS_MACHINE),
};

/** The service cannot read the assistant's files, so the call contains their text. */
export const ofTheCall = {
  writeTest: writeTest(NewTest, READS, "Returns the text of a test file, which you save.", async (_given, text) => {
    if (JSON.stringify(text).length > FILE_CHARACTERS_MAX)
      throw usage("The file is longer than an answer. Write it yourself, and check it with validate_tests.");
    return { path: null, fileText: text };
  }),
  validateTests: validateTests(IN_THE_CALL),
  pushTests: pushTests(IN_THE_CALL),
};
