import type { Ground } from "../ground.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { Traces } from "../traces/open.ts";
import { openGrade } from "./grade.ts";
import { startProductionGrading } from "./production/grade-production.ts";
import { graderRoutes } from "./routes.ts";
import { openGraderStore } from "./store/graders.ts";
import { createGradeStore, type FindSimulation } from "./store/grades.ts";
import { openLabelStore } from "./store/labels.ts";
import { openProductionStore } from "./store/production.ts";

const GRADE_PRODUCTION_EVERY_MS = 30_000;

export function openGraders(
  { db, log }: Ground,
  { reader }: Traces,
  model: LanguageModel | undefined,
  everyMs = GRADE_PRODUCTION_EVERY_MS,
) {
  const graders = openGraderStore(db);
  const grade = openGrade(model);
  const production = startProductionGrading({
    traces: reader,
    graders,
    store: openProductionStore(db),
    grade,
    log,
    everyMs,
  });
  return {
    store: graders,
    grade,
    routes: (findSimulation: FindSimulation) =>
      graderRoutes({
        graders,
        grades: createGradeStore(db, findSimulation),
        labels: openLabelStore(db),
        traces: reader,
      }),
    close: production.close,
  };
}

export type Graders = ReturnType<typeof openGraders>;
