import type { Grade } from "@svc/contract";

/** What a grader decided about several conversations: one behavior or criterion, with the grade of each conversation. */
export type LabelChoice = { key: string; graderName: string; criterion: string; gradeIds: ReadonlyMap<string, string> };

/** Returns what can be labeled in the conversations, the most frequent first. A veto has no id, and cannot be labeled. */
export function labelChoices(gradesOf: ReadonlyMap<string, readonly Grade[]>): LabelChoice[] {
  const choices = new Map<string, LabelChoice & { gradeIds: Map<string, string> }>();
  for (const [traceId, grades] of gradesOf)
    for (const { id, graderId, graderName, criterion } of grades) {
      if (id === null) continue;
      const key = JSON.stringify([graderId, criterion]);
      const choice = choices.get(key) ?? { key, graderName, criterion, gradeIds: new Map() };
      choice.gradeIds.set(traceId, id);
      choices.set(key, choice);
    }
  return [...choices.values()].sort((a, b) => b.gradeIds.size - a.gradeIds.size);
}
