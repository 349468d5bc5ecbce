import { basename } from "node:path";
import { Flags } from "@oclif/core";
import { LIMITS } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { usage } from "../../refusal.ts";
import { jsonFile } from "../../terminal/input.ts";
import { writeDrafts, writtenText } from "../../test-files/write-drafts.ts";

export default command({
  summary: "Write test files from the definitions of an agent's tools",
  description:
    "Reads the JSON with which the agent gives its tools to a model: a list of tools, a request with `tools`, or the answer of an MCP server. For each tool, writes four tests: it works, it fails, it is slow, and the caller does not know its first required argument. The callers have fixed lines, and code decides every behavior, so the tests need no language model. What the definitions do not say is marked with [REPLACE: …]. The command creates no test: edit the files, then push them. Existing files do not change.",
  examples: [
    "<%= config.bin %> tests from-tools tools.json",
    "<%= config.bin %> tests from-tools tools.json --tool book_room --dir tests/booking",
  ],
  args: { file: argument("JSON file with the tools, or - for standard input.") },
  flags: {
    tool: Flags.string({
      description: "Only this tool.",
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "<name>",
    }),
    dir: Flags.string({ description: "The folder for the files.", default: "tests/tools", helpValue: "<folder>" }),
  },
  async run({ args, flags, note }) {
    const { readAgentTools } = await import("../../test-files/agent-tools.ts");
    const { testsOfTool } = await import("../../test-files/draft-from-tools.ts");
    const file = args.file === "-" ? "standard input" : basename(args.file);
    const tools = readAgentTools(await jsonFile(args.file), file);
    const names = tools.map(({ name }) => name);
    const unknown = flags.tool?.find((name) => !names.includes(name));
    if (unknown !== undefined) throw usage(`${file} has no tool "${unknown}". It has ${names.join(", ")}.`);
    const tests = tools.filter(({ name }) => flags.tool?.includes(name) ?? true).flatMap(testsOfTool);
    if (tests.length > LIMITS.importedTests)
      throw usage(`${file} makes ${tests.length} tests, and one push has at most ${LIMITS.importedTests}. Use --tool.`);
    const files = await writeDrafts(flags.dir, tests, `Drafted from the tools in ${file}.`);
    const unfinished = tests.filter(({ scenario }) => scenario.includes("[REPLACE:")).length;
    if (unfinished > 0) note(`Replace what is marked with [REPLACE: …] in ${unfinished} of the ${tests.length} tests.`);
    return files;
  },
  show: (files, { flags }) =>
    [
      ...writtenText(files),
      "",
      `Edit them, and give the mocks the answers of your tools. Then: svc tests push ${flags.dir} and svc runs start --suite Tools`,
    ].join("\n"),
});
