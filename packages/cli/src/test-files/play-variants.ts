import type { Answer, Operations, VariantDrafts, VariantKind, Verdict } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import { findingsOf, findingWords } from "../runs/findings.ts";
import { type StartOptions, startRun } from "../runs/start-run.ts";
import type { Session } from "../session/session.ts";
import { testDocumentOf } from "./test-file.ts";
import { writeDrafts, type WrittenDrafts } from "./write-drafts.ts";

/** The worst verdict of the played simulations, and why they did not pass, with the deciding quotes. */
export type Played = { verdict: Verdict | null; findings: string[]; cost: number | null; runId: string };

export type PlayedVariant = Omit<Played, "cost"> & { kind: VariantKind; name: string };

type Test = Answer<Operations["tests"]["get"]>;

const SUITE = "Variants";

/** Plays one version of a test, and waits for its verdicts. */
export async function playTest(
  invocation: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  versionId: string,
  {
    agent,
    connection,
    caller,
    maxCost,
  }: Pick<StartOptions, "connection" | "caller" | "maxCost"> & { agent: string | undefined },
): Promise<Played> {
  const started = await startRun(
    invocation,
    session,
    { tests: { testVersions: [versionId] }, agent },
    { connection, caller, maxCost, agentCommand: undefined, concurrency: undefined, isDryRun: false, waits: true },
  );
  if (!("result" in started)) throw new Error("a run that is waited for has a result");
  const { run, simulations } = started.result;
  const findings = findingsOf(simulations);
  return {
    verdict: simulations.every(({ verdict }) => verdict === "passed") ? "passed" : (findings[0]?.verdict ?? null),
    findings: findings.flatMap((finding) => [
      `${findingWords(finding, 1)}: ${finding.text}`,
      ...finding.details.map((line) => `  ${line}`),
    ]),
    cost: run.judgeCost,
    runId: run.id,
  };
}

type Options = {
  play: (versionId: string, maxCost: number | undefined) => Promise<Played>;
  dir: string;
  /** Whether to play on after a variant has failed. */
  all: boolean;
  maxCost: number | undefined;
  /** Cost before the first variant. */
  spent: number;
};

/**
 * Plays variants one after the other, and writes each to a file before the next. No list of tests has a
 * variant. Ends with the first that fails, or when the cost is used up.
 */
export async function playVariants(
  { client, projectId: project }: Session,
  test: Test,
  { variants, model, usage }: VariantDrafts,
  { play, dir, all, maxCost, spent }: Options,
): Promise<WrittenDrafts & { variants: PlayedVariant[]; cost: number | null }> {
  const { personas, mock_tools, expected_behaviors, suite_id: suite } = test;
  const played: PlayedVariant[] = [];
  const files: WrittenDrafts = { written: [], kept: [] };
  let cost = spent;
  for (const { kind, name, scenario } of variants) {
    if (maxCost !== undefined && cost >= maxCost) break;
    const content = { name, scenario, expected_behaviors, personas, mock_tools };
    const { version_id: versionId } = await client.tests.create({ ...content, suite, unlisted: true, project });
    const { cost: judged, ...outcome } = await play(versionId, maxCost === undefined ? undefined : maxCost - cost);
    const { verdict } = outcome;
    cost += judged ?? 0;
    played.push({ kind, name, ...outcome });
    const document = { ...testDocumentOf({ ...test, ...content }), suite: SUITE, tags: ["variant"] };
    const origin = `Variant (${kind}) of ${JSON.stringify(test.name)}, drafted by ${model}: ${verdict ?? "no verdict"}.`;
    const drafts = await writeDrafts(dir, [document], origin);
    files.written.push(...drafts.written);
    files.kept.push(...drafts.kept);
    if (verdict === "failed" && !all) break;
  }
  return { ...files, variants: played, cost: usage.cost === null ? null : cost };
}
