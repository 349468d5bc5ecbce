import { joined, type Merge, mergeValue } from "../editing/merge.ts";
import { type DefinitionDraft, definitionLines, definitionOf, type GraderContent } from "./definition.ts";

type Part = Exclude<keyof DefinitionDraft, "kind">;

const PARTS: Record<DefinitionDraft["kind"], [part: Part, label: string][]> = {
  check: [["check", "Sentence"]],
  latency: [
    ["maxMs", "Milliseconds at most"],
    ["percentile", "Answers within it"],
  ],
  llm: [
    ["criterion", "Criterion"],
    ["passesWhen", "Passes when"],
    ["failsWhen", "Fails when"],
  ],
};

/** If one of the edits changed the kind, the whole definition is one part. */
export function mergeGraders(base: GraderContent, mine: GraderContent, theirs: GraderContent): Merge<GraderContent> {
  const name = mergeValue("name", "Name", { base: base.name, mine: mine.name.trim(), theirs: theirs.name });
  const draft = mergeDrafts(base.draft, mine.draft, theirs.draft);
  return {
    ...joined([name, draft]),
    result: (choices) => ({ name: name.result(choices), draft: draft.result(choices) }),
  };
}

function mergeDrafts(base: DefinitionDraft, mine: DefinitionDraft, theirs: DefinitionDraft): Merge<DefinitionDraft> {
  const isSameKind = base.kind === mine.kind && base.kind === theirs.kind;
  if (!isSameKind)
    return mergeValue("definition", "Definition", { base, mine, theirs }, (draft) =>
      definitionLines(definitionOf(draft)),
    );
  const parts = PARTS[base.kind].map(
    ([part, label]) =>
      [
        part,
        mergeValue(part, label, { base: base[part], mine: mine[part].trim(), theirs: theirs[part] }, (text) =>
          text.split("\n"),
        ),
      ] as const,
  );
  return {
    ...joined(parts.map(([, merge]) => merge)),
    result: (choices) => ({
      ...theirs,
      ...Object.fromEntries(parts.map(([part, merge]) => [part, merge.result(choices)])),
    }),
  };
}
