import { type GradeSummary, type ListedSimulation, type Run, SET_LANGUAGE_MODEL } from "@svc/contract";
import { counted } from "../terminal/output.ts";

const NEEDS_JUDGE = "Needs a judge";
const COUNT_BEHAVIORS = 'Run `svc graders edit "Expected behaviors" --enabled --counts`';

type Graded = Pick<ListedSimulation, "verdict" | "behaviorCount" | "behaviorsGraded"> & {
  endingReason?: ListedSimulation["endingReason"];
  grades?: readonly Omit<GradeSummary, "votes">[] | undefined;
};

type Reason = Pick<GradeSummary, "verdict" | "decidedBy" | "reason">;

/** Returns whether a grade is undecided because the service has no judge. The reason of such a grade contains the remedy. */
export const hasNoJudge = (grade: Reason): boolean => decidesNothing(grade) && grade.reason.startsWith(NEEDS_JUDGE);

const decidesNothing = ({ verdict, decidedBy }: Reason): boolean => verdict === "not_graded" && decidedBy === "none";

export const noticesOfRun = ({
  run,
  simulations,
}: {
  run: Pick<Run, "notes">;
  simulations: readonly Graded[];
}): string[] => [...(run.notes ?? []), ...noticesOf(simulations)];

export function noticesOf(simulations: readonly Graded[]): string[] {
  const graded = simulations.filter(({ verdict }) => verdict !== null);
  const causes = graded.map(causesOf);
  const total = graded.reduce((sum, { behaviorCount }) => sum + behaviorCount, 0);
  const countOf = (cause: keyof Causes) => causes.reduce((sum, of) => sum + of[cause], 0);
  const shareOf = (count: number) => `${count} of ${counted(total, "behavior")} ${count === 1 ? "was" : "were"}`;
  const notices: string[] = [];

  const unjudged = countOf("noJudge");
  if (unjudged > 0) {
    const remedy = `${SET_LANGUAGE_MODEL}, or write ${unjudged === 1 ? "it as a check" : "them as checks"} (docs/behaviors.md).`;
    notices.push(`${shareOf(unjudged)} not graded. ${remedy}`);
  }
  const unseen = countOf("noGrader");
  if (unseen > 0)
    notices.push(`${shareOf(unseen)} not graded, because no grader that counts looks at them. ${COUNT_BEHAVIORS}.`);
  const unreadable = countOf("noReading");
  if (unreadable > 0) {
    const sentences = unreadable === 1 ? "the sentence" : "the sentences";
    notices.push(
      `${shareOf(unreadable)} not graded, because ${sentences} cannot be read. Each reason names the remedy.`,
    );
  }
  const unplayed = graded.filter(isUnplayed);
  if (unplayed.length > 0) {
    const tests = unplayed.length === 1 ? "1 simulation was" : `${unplayed.length} simulations were`;
    notices.push(
      `${tests} not played, because the scripted caller has no line in the test. Add a \`Says:\` line to the scenario (docs/callers.md), or set a language model.`,
    );
  }
  const silent = countOf("silence");
  if (silent > 0) notices.push(`${shareOf(silent)} not graded, because the agent said nothing.`);
  const inconclusive = countOf("inconclusive");
  if (inconclusive > 0) notices.push(`${shareOf(inconclusive)} inconclusive. Each reason names the missing evidence.`);

  const withoutJudge = new Set(graded.flatMap(gradersWithoutJudge));
  if (withoutJudge.size > 0)
    notices.push(
      `Without a judge these graders decide nothing: ${[...withoutJudge].join(", ")}. ${SET_LANGUAGE_MODEL}.`,
    );
  const errored = graded.filter(({ verdict }) => verdict === "errored").length;
  if (errored > 0) {
    const them = errored === 1 ? "it" : "them";
    notices.push(
      `${counted(errored, "simulation")} met an error of the service or of the network. The pass rate leaves ${them} out.`,
    );
  }
  return notices;
}

const isUnplayed = ({ endingReason }: Graded): boolean => endingReason === "no_caller_lines";

type Causes = { noJudge: number; noReading: number; noGrader: number; silence: number; inconclusive: number };

function causesOf(simulation: Graded): Causes {
  const { verdict, behaviorCount, behaviorsGraded, grades = [] } = simulation;
  const undecided = behaviorCount - behaviorsGraded;
  const ofBehaviors = grades.filter((grade) => grade.counts && !hasOwnCriterion(grade));
  const noJudge = Math.min(undecided, ofBehaviors.filter(hasNoJudge).length);
  const noReading = Math.min(undecided - noJudge, ofBehaviors.filter(decidesNothing).length - noJudge);
  const unclear = ofBehaviors.filter((grade) => grade.verdict === "inconclusive").length;
  return {
    noJudge,
    noReading,
    noGrader: grades.length > 0 && ofBehaviors.length === 0 ? undecided : 0,
    silence: grades.length === 0 && verdict === "not_graded" && !isUnplayed(simulation) ? undecided : 0,
    inconclusive: Math.min(undecided - noJudge - noReading, unclear),
  };
}

const gradersWithoutJudge = ({ grades = [] }: Graded): string[] =>
  grades
    .filter((grade) => grade.counts && hasNoJudge(grade) && hasOwnCriterion(grade))
    .map(({ graderName }) => graderName);

/** A grader with its own criterion has the same name as the criterion. */
const hasOwnCriterion = ({ criterion, graderName }: Pick<GradeSummary, "criterion" | "graderName">): boolean =>
  criterion === graderName;
