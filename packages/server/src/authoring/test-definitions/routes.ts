import type { Caller } from "../../access/caller.ts";
import type { LanguageModels } from "../../grading/language-model/open.ts";
import { FORM_EXAMPLES } from "../../grading/read-behavior.ts";
import type { Routes } from "../../http/operation.ts";
import { mapInSlices } from "../../base/async/in-slices.ts";
import { pageRequest } from "../../stores/page.ts";
import type { SuiteStore } from "../suites/store.ts";
import { withCurrent } from "../../base/versions.ts";
import type { AskForDrafts } from "./ask-for-drafts.ts";
import { draftFromPrompt } from "./draft-from-prompt.ts";
import { draftVariants } from "./draft-variants.ts";
import { presentImported, presentReadings, presentSuiteTest, presentTest, presentVersion } from "./present.ts";
import { decideCreate, decideEdit, decideImport, orderedTags } from "./rules.ts";
import type { TestStore } from "./store.ts";

export function testRoutes(
  store: TestStore,
  suites: SuiteStore,
  modelOf: LanguageModels["ofOrganization"],
  askForDrafts: AskForDrafts,
): Routes<"tests"> {
  const hasJudge = async ({ organizationId }: Pick<Caller, "organizationId">) =>
    (await modelOf(organizationId)) !== undefined;
  const show = async (caller: Caller, projectId: string, id: string) =>
    presentTest(await store.get(projectId, id), await hasJudge(caller));

  return {
    tests: {
      create: async ({ caller, project, body }) =>
        presentTest(await store.create(project.id, body.suite, decideCreate(body)), await hasJudge(caller)),

      edit: async ({ caller, project, params, body }) =>
        presentTest(
          await withCurrent(
            () => store.edit(project.id, params.testId, (current) => decideEdit(current, body)),
            () => show(caller, project.id, params.testId),
          ),
          await hasJudge(caller),
        ),

      import: async ({ caller, project, body }) => {
        const isDryRun = body.dry_run === true;
        const options = { suite: body.suite, createsSuites: body.create_suites === true, isDryRun };
        const written = await withCurrent(
          () => store.import(project.id, decideImport(body.tests), options),
          ({ test }) => show(caller, project.id, (test as { id: string }).id),
        );
        const judged = await hasJudge(caller);
        return { tests: await mapInSlices(written, (test) => presentImported(test, isDryRun, judged)) };
      },

      async readBehaviors({ caller, body }) {
        const sentences = { expected_behaviors: body.behaviors, mock_tools: body.mock_tools ?? [] };
        const judged = await hasJudge(caller);
        return { readings: presentReadings(sentences, judged), has_judge: judged, forms: FORM_EXAMPLES };
      },

      draftFromPrompt: ({ caller, body }) => draftFromPrompt(askForDrafts, caller.organizationId, body),

      draftVariants: async ({ caller, project, params, body }) =>
        draftVariants(askForDrafts, caller.organizationId, await show(caller, project.id, params.testId), body),

      list: async ({ caller, project, query }) => {
        const page = await store.list(project.id, tagFilter(query), pageRequest("tst", query.limit, query.cursor));
        const judged = await hasJudge(caller);
        return { items: await mapInSlices(page.items, (test) => presentTest(test, judged)), next_cursor: page.next };
      },

      get: ({ caller, project, params }) => show(caller, project.id, params.testId),

      versions: async ({ caller, project, params, query }) => {
        const page = await store.listVersions(
          project.id,
          params.testId,
          pageRequest("tstv", query.limit, query.cursor),
        );
        const judged = await hasJudge(caller);
        return {
          items: await mapInSlices(page.items, (version) => presentVersion(version, judged)),
          next_cursor: page.next,
        };
      },

      setTags: async ({ caller, project, params, body }) =>
        presentTest(await store.setTags(project.id, params.testId, orderedTags(body.tags)), await hasJudge(caller)),

      delete: async ({ project, params }) => store.delete(project.id, params.testId),

      version: async ({ caller, project, params }) =>
        presentVersion(await store.getVersion(project.id, params.versionId), await hasJudge(caller)),

      listOfSuite: async ({ caller, project, query }) => {
        const suite = await suites.get(project.id, query.suiteId);
        const filter = { suiteId: suite.id, ...tagFilter(query) };
        const page = await store.list(project.id, filter, pageRequest("tst", query.pageSize, query.pageToken));
        const judged = await hasJudge(caller);
        return {
          tests: await mapInSlices(page.items, (test) => presentSuiteTest(test, judged)),
          nextPageToken: page.next,
        };
      },
    },
  };
}

const tagFilter = ({ tag }: { tag?: string | undefined }) => (tag === undefined ? {} : { tags: [tag] });
