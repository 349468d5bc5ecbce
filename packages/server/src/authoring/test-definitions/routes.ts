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
  hasJudge: boolean,
  askForDrafts: AskForDrafts,
): Routes<"tests"> {
  const show = async (projectId: string, id: string) => presentTest(await store.get(projectId, id), hasJudge);

  return {
    tests: {
      create: async ({ project, body }) =>
        presentTest(await store.create(project.id, body.suite, decideCreate(body)), hasJudge),

      edit: async ({ project, params, body }) =>
        presentTest(
          await withCurrent(
            () => store.edit(project.id, params.testId, (current) => decideEdit(current, body)),
            () => show(project.id, params.testId),
          ),
          hasJudge,
        ),

      import: async ({ project, body }) => {
        const isDryRun = body.dry_run === true;
        const options = { suite: body.suite, createsSuites: body.create_suites === true, isDryRun };
        const written = await withCurrent(
          () => store.import(project.id, decideImport(body.tests), options),
          ({ test }) => show(project.id, (test as { id: string }).id),
        );
        return { tests: await mapInSlices(written, (test) => presentImported(test, isDryRun, hasJudge)) };
      },

      readBehaviors: async ({ body }) => ({
        readings: presentReadings({ expected_behaviors: body.behaviors, mock_tools: body.mock_tools ?? [] }, hasJudge),
        has_judge: hasJudge,
      }),

      draftFromPrompt: ({ caller, body }) => draftFromPrompt(askForDrafts, caller.organizationId, body),

      draftVariants: async ({ caller, project, params, body }) =>
        draftVariants(askForDrafts, caller.organizationId, await show(project.id, params.testId), body),

      list: async ({ project, query }) => {
        const page = await store.list(project.id, tagFilter(query), pageRequest("tst", query.limit, query.cursor));
        return { items: await mapInSlices(page.items, (test) => presentTest(test, hasJudge)), next_cursor: page.next };
      },

      get: ({ project, params }) => show(project.id, params.testId),

      versions: async ({ project, params, query }) => {
        const page = await store.listVersions(
          project.id,
          params.testId,
          pageRequest("tstv", query.limit, query.cursor),
        );
        return {
          items: await mapInSlices(page.items, (version) => presentVersion(version, hasJudge)),
          next_cursor: page.next,
        };
      },

      setTags: async ({ project, params, body }) =>
        presentTest(await store.setTags(project.id, params.testId, orderedTags(body.tags)), hasJudge),

      delete: async ({ project, params }) => store.delete(project.id, params.testId),

      version: async ({ project, params }) =>
        presentVersion(await store.getVersion(project.id, params.versionId), hasJudge),

      listOfSuite: async ({ project, query }) => {
        const suite = await suites.get(project.id, query.suiteId);
        const filter = { suiteId: suite.id, ...tagFilter(query) };
        const page = await store.list(project.id, filter, pageRequest("tst", query.pageSize, query.pageToken));
        return {
          tests: await mapInSlices(page.items, (test) => presentSuiteTest(test, hasJudge)),
          nextPageToken: page.next,
        };
      },
    },
  };
}

const tagFilter = ({ tag }: { tag?: string | undefined }) => (tag === undefined ? {} : { tags: [tag] });
