import type { Grade, ReviewItem, ReviewQueue } from "@svc/contract";
import { REVIEW_REASONS } from "@svc/contract/constants";
import { gradeText } from "../graders/grade-text.ts";
import { counted, facts, paint } from "../terminal/output.ts";
import { ago, moment } from "../terminal/times.ts";

export type ItemWithGrades = { item: ReviewItem; grades: Grade[] };

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

export const reasonsText = ({ reasons }: ReviewItem): string =>
  [...new Set(reasons.map(({ reason }) => REVIEW_REASONS[reason].title))].join(", ");

export function itemStateText({ state, people, peopleWanted }: ReviewItem): string {
  const by = people.map(({ userName, did }) => `${userName} ${did === "reviewing" ? "has it in work" : did}`);
  const wanted = peopleWanted > 1 && state === "open" ? `asks for ${peopleWanted} people` : "";
  return [state, wanted, ...by].filter((part) => part !== "").join(", ");
}

export function itemText({ item, grades }: ItemWithGrades): string {
  const { id, source, traceId, simulationId, agentName, startedAt, reasons, state } = item;
  const shown = facts([
    ["Id", id],
    ["Conversation", traceId === null ? undefined : `svc traces show ${traceId}`],
    ["Simulation", simulationId === null ? undefined : `svc simulations show ${simulationId}`],
    ["Started", startedAt === null ? undefined : moment(startedAt)],
    ["State", itemStateText(item)],
    ...reasons.map(({ sentence, at }, index): [string, string] => [
      index === 0 ? "Because" : "",
      `${sentence} ${ago(at)}`,
    ]),
  ]);
  const next =
    state === "open" && grades.length > 0
      ? `To label it: svc review label ${id} passed|failed|unsure${grades.length > 1 ? " --grade GRADE_ID" : ""}`
      : state === "waiting"
        ? "It waits for a grade: nobody can label it yet."
        : undefined;
  return [
    paint.bold(
      `${source === "production" ? "Production conversation" : "Simulation"} of ${agentName ?? "an agent without a name"}`,
    ),
    shown,
    ...(grades.length > 0 ? ["", ...grades.map(gradeText)] : []),
    ...(next === undefined ? [] : ["", next]),
  ].join("\n");
}

const SCOPES = { both: "production and simulations", production: "production", simulations: "simulations" };

export function queueText(queue: ReviewQueue): string {
  const { enabled, sources, randomShare, confidenceBelow, scope, graderIds, secondPersonShare, counts } = queue;
  const { waiting, open, inWork, done, skipped } = counts;
  const sourceText = sources.map((source) => {
    const { title } = REVIEW_REASONS[source];
    if (source === "random") return `${title} (${percent(randomShare)})`;
    return source === "low_confidence" ? `${title} (below ${percent(confidenceBelow)})` : title;
  });
  const isEmpty = waiting + open + done + skipped === 0;
  return `${paint.bold(enabled ? "The review queue is on" : "The review queue is off")}\n${facts([
    [
      "Open",
      `${open}${inWork > 0 ? `, ${inWork} in work` : ""}${waiting > 0 ? `, and ${waiting} without a grade yet` : ""}`,
    ],
    ["Done", `${done}${skipped > 0 ? `, and ${skipped} skipped` : ""}`],
    [
      "Left out",
      queue.leftOut > 0
        ? `${counted(queue.leftOut, "conversation")}, because ${queue.itemsMax} were waiting`
        : undefined,
    ],
    ["Sources", sourceText.length === 0 ? "none" : sourceText.join(", ")],
    ["Of", SCOPES[scope]],
    ["Graders", graderIds.length === 0 ? "every grade that a judge decided" : graderIds.join(", ")],
    ["Two people", secondPersonShare > 0 ? `for ${percent(secondPersonShare)} of the items` : "for no item"],
    [
      "Next step",
      !enabled
        ? "svc review configure --on"
        : open > 0
          ? "svc review next"
          : isEmpty
            ? "wait: conversations come in when they are graded"
            : undefined,
    ],
  ])}`;
}

export const NOTHING_LEFT =
  "Nothing is left to label for you. To see what comes into the queue, and whether it is on: svc review show";
