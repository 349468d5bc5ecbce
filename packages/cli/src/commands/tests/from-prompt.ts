import { basename } from "node:path";
import { Flags } from "@oclif/core";
import { LIMITS } from "@svc/contract/constants";
import type { PromptDrafts } from "@svc/contract";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { contentOf, jsonFile } from "../../terminal/input.ts";
import { table } from "../../terminal/output.ts";
import { writeDrafts, writtenText } from "../../test-files/write-drafts.ts";

const SUITE = "Prompt";
/** Time for the service to read and check the model's answer. */
const ANSWER_SECONDS = 10;

export default command({
  summary: "Write test files from an agent's prompt",
  description:
    "The language model finds the rules in the prompt and drafts tests of them. A table shows which tests test each rule, and which rules no test tests. The service leaves out rules whose words are not in the prompt, and behaviors with tools that the agent does not have. The command creates no test: read the files, then push them. Existing files do not change. Without a language model: `svc tests from-tools`.",
  examples: [
    "<%= config.bin %> tests from-prompt prompt.md",
    "<%= config.bin %> tests from-prompt prompt.md --tools tools.json --count 5 --dir tests/rules",
  ],
  args: { file: argument("File with the agent's prompt, or - for standard input.") },
  flags: {
    tools: Flags.string({
      description: "JSON file with the agent's tools, as `svc tests from-tools` reads it.",
      helpValue: "<file>",
    }),
    count: Flags.integer({
      description: "Largest number of tests.",
      min: 1,
      max: LIMITS.promptDrafts,
      default: 10,
      helpValue: "<count>",
    }),
    dir: Flags.string({ description: "The folder for the files.", default: "tests/prompt", helpValue: "<folder>" }),
  },
  async run({ args, startSession, flags, note, progress }) {
    const { readAgentTools } = await import("../../test-files/agent-tools.ts");
    const prompt = await contentOf(args.file === "-" ? "-" : `@${args.file}`);
    const tools = flags.tools === undefined ? [] : readAgentTools(await jsonFile(flags.tools), basename(flags.tools));
    const session = await startSession();
    const { client, projectId } = session;
    progress.now("The language model drafts tests …");
    const answer = await client.tests.draftFromPrompt(
      {
        prompt,
        tools: tools.map(({ name, purpose }) => ({ name, description: purpose })),
        count: flags.count,
        projectId,
      },
      { timeoutMs: (LIMITS.promptDraftSeconds + ANSWER_SECONDS) * 1_000, retries: 0 },
    );
    progress.clear();
    const tests = answer.drafts.map(({ name, scenario, expectedBehaviors, mockTools }) => ({
      name,
      suite: SUITE,
      tags: ["prompt"],
      scenario,
      expected_behaviors: expectedBehaviors,
      personas: [],
      mock_tools: mockTools,
    }));
    const file = args.file === "-" ? "standard input" : basename(args.file);
    const files = await writeDrafts(flags.dir, tests, `Drafted from the prompt in ${file} by ${answer.model}.`);
    for (const line of answer.notes) note(line);
    return { ...files, rules: answer.rules, model: answer.model, usage: answer.usage };
  },
  show({ rules, usage, model, ...files }, { flags }) {
    const by = `${model}${usage.cost === null ? "" : `, cost ${usage.cost.toFixed(4)}`}.`;
    const hasDrafts = files.written.length + files.kept.length > 0;
    return [
      coverageText(rules),
      "",
      ...(hasDrafts ? [...writtenText(files), ""] : []),
      hasDrafts
        ? `${by} Read the files, then: svc tests push ${flags.dir} and svc runs start --suite ${SUITE}`
        : `${by} The model drafted no usable test. Try again, set another model, or draft tests of the agent's tools: svc tests from-tools FILE`,
    ].join("\n");
  },
});

const coverageText = (rules: PromptDrafts["rules"]): string =>
  table(
    rules,
    [
      { title: "tests", cell: ({ tests }) => (tests.length === 0 ? "none" : String(tests.length)), right: true },
      { title: "rule", cell: ({ quote }) => quote.replaceAll(/\s+/g, " ") },
    ],
    "The model found no rule in the prompt.",
  );
