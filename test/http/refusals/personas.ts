import { INPUTS } from "../../support/operation-inputs.ts";
import { freshName, type World } from "../../support/world.ts";
import { adminAsk, type Row } from "./row.ts";

let stale: { id: string; name: string; first: string; current: string };
const CALM = "prs_00000000000000000000000001";
const makePersona = async (w: World) =>
  (await w.admin.personas.create({ name: freshName("persona"), projectId: w.project.id })).persona;

export const ofPersonas: Row[] = [
  ...(["personas.create", "personas.fork", "personas.edit"] as const).flatMap((name): Row[] =>
    ["calm", "another live persona's name"].map((taken) => ({
      name: `${name} with ${taken === "calm" ? "a shipped persona's name" : taken}`,
      code: "name_taken",
      ask: async (w) =>
        adminAsk(w, name, {
          ...(await INPUTS[name](w)),
          name: taken === "calm" ? taken : (await makePersona(w)).name,
          projectId: w.project.id,
        }),
    })),
  ),
  {
    name: "a stale edit of a persona",
    code: "version_conflict",
    ask: async (w) => {
      const { id, name, versionId: first } = await makePersona(w);
      const change = { personaId: id, projectId: w.project.id, expectedVersionId: first };
      const { persona } = await w.admin.personas.edit({ ...change, traits: { pace: "slow" } });
      stale = { id, name, first, current: persona.versionId };
      return adminAsk(w, "personas.edit", { ...change, traits: { pace: "fast" } });
    },
    details: () => ({
      persona: { id: stale.id, name: stale.name },
      expectedVersionId: stale.first,
      currentVersionId: stale.current,
    }),
  },
  {
    name: "an edit of a shipped persona",
    code: "conflict",
    ask: (w) =>
      adminAsk(w, "personas.edit", {
        personaId: CALM,
        expectedVersionId: "prsv_00000000000000000000010001",
        name: "calmer",
        projectId: w.project.id,
      }),
  },
  {
    name: "archiving a shipped persona",
    code: "conflict",
    ask: (w) => adminAsk(w, "personas.archive", { personaId: CALM, projectId: w.project.id }),
  },
  {
    name: "an edit of an archived persona",
    code: "conflict",
    ask: async (w) => {
      const { id: personaId, versionId: expectedVersionId } = await makePersona(w);
      await w.admin.personas.archive({ personaId, projectId: w.project.id });
      return adminAsk(w, "personas.edit", { personaId, expectedVersionId, projectId: w.project.id });
    },
  },
  {
    name: "making an archived persona the default",
    code: "conflict",
    ask: async (w) => {
      const { id: personaId } = await makePersona(w);
      await w.admin.personas.archive({ personaId, projectId: w.project.id });
      return adminAsk(w, "personas.makeDefault", { personaId, projectId: w.project.id });
    },
  },
  {
    name: "archiving the default persona",
    code: "conflict",
    ask: async (w) => {
      const { id: personaId } = await makePersona(w);
      await w.admin.personas.makeDefault({ personaId, projectId: w.project.id });
      return adminAsk(w, "personas.archive", { personaId, projectId: w.project.id });
    },
  },
];
