import { Flags } from "@oclif/core";
import type { VariantKind } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument, decimalFlag, repeatedFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { Refusal } from "../../refusal.ts";
import type { PlayedVariant } from "../../test-files/play-variants.ts";
import { counted } from "../../terminal/output.ts";
import { writtenText } from "../../test-files/write-drafts.ts";

/** Time for the service to read and check the model's answer. */
const ANSWER_SECONDS = 10;

export default command({
  summary: "Look for a harder caller with whom a passing test fails",
  description:
    "Plays the test once. If it passes, the language model drafts variants with harder callers, and the command plays them one after the other until one fails. The expected behaviors and mock tools stay those of the test. Each played variant is written to a file. A variant is in no list of tests until then: read the file, then push it. Needs a key with the permission write.",
  examples: [
    '<%= config.bin %> tests variants "Books a room"',
    '<%= config.bin %> tests variants "Books a room" --kind changes_mind --kind code_switching --count 4 --max-cost 0.5',
  ],
  args: { test: argument("Id or exact name of the test.") },
  flags: {
    kind: repeatedFlag(
      "Kind of caller: hostile, changes_mind, code_switching, unclear, rambling or insisting. Default: all.",
      "<kind>",
    ),
    count: Flags.integer({
      description: "Largest number of variants.",
      min: 1,
      max: LIMITS.promptDrafts,
      default: 6,
      helpValue: "<count>",
    }),
    "max-cost": decimalFlag({
      description:
        "Cost of drafts and judges, in the currency of the service's prices, at which no other variant is played.",
      helpValue: "<amount>",
    }),
    all: Flags.boolean({ description: "Play all variants, also after one has failed." }),
    agent: Flags.string({ description: "Id or exact name of the agent. Default: the only agent." }),
    connection: Flags.string({
      description: "Id or exact name of the agent's connection. Default: the agent's only connection.",
    }),
    caller: Flags.option({
      options: ["scripted", "model"] as const,
      description: "Caller of the simulations. Default: model when the service has a language model, else scripted.",
    })(),
    dir: Flags.string({ description: "The folder for the files.", default: "tests/variants", helpValue: "<folder>" }),
  },
  async run(invocation) {
    const { args, flags, note, progress } = invocation;
    const { playTest, playVariants } = await import("../../test-files/play-variants.ts");
    const session = await invocation.startSession();
    const { client, projectId: project } = session;
    const testId = await idOf(session, "test", args.test);
    const test = await client.tests.get({ testId, project });
    const { agent, connection, caller, "max-cost": maxCost } = flags;
    const play = (versionId: string, left: number | undefined) =>
      playTest(invocation, session, versionId, { agent, connection, caller, maxCost: left });
    const own = await play(test.version_id, maxCost);
    if (own.verdict !== "passed")
      throw new Refusal(
        "unprocessable",
        [
          `The test does not pass: ${own.verdict ?? "no verdict"}. Variants show something only about a test that passes.`,
          ...own.findings,
        ].join("\n"),
      );
    progress.now("The language model drafts variants …");
    const drafts = await client.tests.draftVariants(
      // The service refuses a kind that it does not know, and names those that it knows.
      { testId, kinds: flags.kind as VariantKind[] | undefined, count: flags.count, project },
      { timeoutMs: (LIMITS.promptDraftSeconds + ANSWER_SECONDS) * 1_000, retries: 0 },
    );
    progress.clear();
    for (const line of drafts.notes) note(line);
    if (maxCost !== undefined && drafts.usage.cost === null)
      note("The cost is not known, because the service has no prices. Only --count limits the variants.");
    const { dir, all } = flags;
    const spent = (own.cost ?? 0) + (drafts.usage.cost ?? 0);
    const played = await playVariants(session, test, drafts, { play, dir, all: all === true, maxCost, spent });
    return { test: { id: test.id, name: test.name }, model: drafts.model, drafted: drafts.variants.length, ...played };
  },
  show({ test, model, drafted, variants, cost, written, kept }, { flags }) {
    const by = `${model}${cost === null ? "" : `, cost ${cost.toFixed(4)}`}.`;
    if (drafted === 0)
      return `The model drafted no usable variant of "${test.name}". ${by} Try again, or set another model.`;
    const next = written.length + kept.length === 0 ? "" : ` Read the files, then: svc tests push ${flags.dir}`;
    return [
      variants.some(({ verdict }) => verdict === "failed")
        ? `A variant of "${test.name}" fails:`
        : `No variant of "${test.name}" failed.`,
      ...variants.map(variantText),
      "",
      ...writtenText({ written, kept }),
      `${counted(variants.length, "variant")} of ${drafted} played. ${by}${next}`,
    ].join("\n");
  },
});

const variantText = ({ kind, name, verdict, findings }: PlayedVariant): string =>
  [`  ${verdict ?? "no verdict"}  ${kind}  ${name}`, ...findings.map((line) => `    ${line}`)].join("\n");
