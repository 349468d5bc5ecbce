import type { ServiceContext } from "../../context.ts";
import type { LanguageModels } from "../language-model/open.ts";
import type { Traces } from "../../traces/open.ts";
import { createCalibrator } from "./calibrator.ts";
import { createConversationGrader } from "./grade-conversation.ts";
import { createReadDecidingWords, createReadFailedProduction } from "./production/failed-production.ts";
import { type ProductionPace, startProductionGrading } from "./production/grade-production.ts";
import { startQueueingAlerts } from "./review/queue-alerts.ts";
import { reviewRoutes } from "./review/routes.ts";
import { createReviewAlerts } from "./review/store/alerts.ts";
import { createReviewStore } from "./review/store/items.ts";
import { graderRoutes } from "./routes.ts";
import { agentVersionRoutes } from "./versions/routes.ts";
import { createCalibrationStore } from "./store/calibrations.ts";
import { createGraderStore } from "./store/graders.ts";
import { createGradeStore, type FindSimulation } from "./store/grades.ts";
import { createGradedCounts } from "./store/graded-counts.ts";
import { createGradeTexts } from "./store/grade-texts.ts";
import { createLabelStore } from "./store/labels.ts";
import { createProductionStore, type NamedPlace } from "./store/production.ts";
import { countProductionVerdicts } from "./store/verdict-counts.ts";

const QUEUE_ALERTS_EVERY_MS = 10_000;

export function openGraders(
  { db, log }: ServiceContext,
  { reader, deleted }: Traces,
  models: LanguageModels,
  pace?: Partial<ProductionPace>,
) {
  const graders = createGraderStore(db);
  const grade = createConversationGrader(models.ofProject);
  const productionStore = createProductionStore(db);
  const readFailed = createReadFailedProduction({
    traces: reader,
    isDeleted: deleted.isDeleted,
    store: productionStore,
  });
  const production = startProductionGrading({
    traces: reader,
    isDeleted: deleted.isDeleted,
    graders,
    store: productionStore,
    grade,
    log,
    pace,
  });
  const calibrator = createCalibrator({ models, store: createCalibrationStore(db), log });
  return {
    store: graders,
    grade,
    projectsOf: (findSimulation: FindSimulation) => ({
      grader: graders.findProjects,
      grade: createGradeStore(db, findSimulation).findProjects,
    }),
    readFailed,
    readDecidingWords: createReadDecidingWords(readFailed),
    texts: createGradeTexts(db),
    conversationsWithVerdict: productionStore.listConversations,
    countVerdicts: (projectId: string, conversations: readonly NamedPlace[]) =>
      countProductionVerdicts(db, projectId, conversations),
    gradedCounts: createGradedCounts(db),
    routes: (findSimulation: FindSimulation) => ({
      ...agentVersionRoutes(reader, productionStore),
      ...graderRoutes({
        graders,
        grades: createGradeStore(db, findSimulation),
        labels: createLabelStore(db),
        traces: reader,
        calibrator,
        findSimulation,
      }),
    }),
    async close(): Promise<void> {
      await Promise.all([production.close(), calibrator.close()]);
    },
  };
}

export type Graders = ReturnType<typeof openGraders>;

export function openReview(
  { db, log }: ServiceContext,
  { reader, intake, deleted }: Traces,
  { graders, findSimulation }: { graders: Graders; findSimulation: FindSimulation },
  everyMs = QUEUE_ALERTS_EVERY_MS,
) {
  const review = createReviewStore(db);
  const queueing = startQueueingAlerts({
    traces: reader,
    isIncomplete: intake.isCatchingUp,
    isDeleted: deleted.isDeleted,
    alerts: createReviewAlerts(db),
    findSimulation,
    log,
    everyMs,
  });
  return {
    projectsOf: { reviewItem: review.findProjects },
    routes: reviewRoutes({
      review,
      graders: graders.store,
      grades: createGradeStore(db, findSimulation),
      labels: createLabelStore(db),
    }),
    close: queueing.close,
  };
}
