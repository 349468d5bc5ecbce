import { withCurrent } from "../../base/versions.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { ownerOf } from "../connections/routes.ts";
import { decideTrunk, decideTrunkEdit, presentTrunk, type TrunkRow } from "./rules.ts";
import type { TrunkStore } from "./store.ts";

export function trunkRoutes(store: TrunkStore): Routes<"trunks"> {
  async function presentAll(rows: readonly TrunkRow[]) {
    const calls = await store.countCalls(rows.map(({ id }) => id));
    return rows.map((row) => presentTrunk(row, calls.get(row.id) ?? 0));
  }
  const present = async (row: TrunkRow) => ({ trunk: (await presentAll([row]))[0]! });

  return {
    trunks: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("trk", query.pageSize, query.pageToken));
        return { trunks: await presentAll(page.items), nextPageToken: page.next };
      },

      create: async (request) => present(await store.create(ownerOf(request), decideTrunk(request.body))),

      get: async ({ project, params }) => present(await store.get(project.id, params.trunkId)),

      edit: (request) => {
        const { project, params, body } = request;
        return withCurrent(
          async () =>
            present(await store.edit(ownerOf(request), params.trunkId, (current) => decideTrunkEdit(current, body))),
          async () => (await present(await store.get(project.id, params.trunkId))).trunk,
        );
      },

      delete: ({ project, params }) => store.delete(project.id, params.trunkId),
    },
  };
}
