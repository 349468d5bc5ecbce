import { LIMITS } from "@svc/contract";
import { INPUTS, type OperationName } from "../../support/operation-inputs.ts";
import type { FlatInput } from "../../support/operation-request.ts";
import { aTest, unknownId, type World } from "../../support/world.ts";
import { adminAsk, type Row } from "./row.ts";

const CALM = "prs_00000000000000000000000001";
const text = (characters: number) => "x".repeat(characters);
const times = <T>(count: number, item: (n: number) => T) => Array.from({ length: count }, (_, n) => item(n));
const mock = (more: object) => ({ mock_tools: [{ tool: "look_up", ...more }] });

/** Inputs of tests that have the right form but break a limit or a rule. */
const CONTENT: Record<string, FlatInput> = {
  "a blank name": { name: " \t\n" },
  "a name over the bound": { name: text(LIMITS.nameCharacters + 1) },
  "a blank scenario": { scenario: "  " },
  "a scenario over the bound": { scenario: text(LIMITS.scenarioCharacters + 1) },
  "no behavior": { expected_behaviors: [] },
  "a blank behavior": { expected_behaviors: ["Greets.", " "] },
  "a behavior over the bound": { expected_behaviors: [text(LIMITS.behaviorCharacters + 1)] },
  "too many behaviors": { expected_behaviors: times(LIMITS.behaviors + 1, (n) => `${n}`) },
  "a behavior in the object form": { expected_behaviors: [{ behavior: "Greets.", priority: "high" }] },
  "a behavior whose quote does not close": { expected_behaviors: ['says "240'] },
  "a behavior with an unreadable pattern": { expected_behaviors: ["never says /(/"] },
  "an unknown persona": { personas: ["nobody"] },
  "a persona in another case": { personas: ["Calm"] },
  "an unknown persona id": { personas: ["prs_0000000000000000000000000z"] },
  "a blank persona": { personas: [" "] },
  "a persona twice": { personas: ["calm", "calm"] },
  "a persona by name and by id": { personas: ["calm", CALM] },
  "too many personas": { personas: times(LIMITS.personas + 1, (n) => `${n}`) },
  "too many mock tools": { mock_tools: times(LIMITS.mockTools + 1, (n) => ({ tool: `${n}`, answer: n })) },
  "a mock tool with neither answer nor error": mock({}),
  "a mock tool with answer and error": mock({ answer: 1, error: "broken" }),
  "a mock tool with answer null and error": mock({ answer: null, error: "broken" }),
  "a mock tool without a tool's name": { mock_tools: [{ tool: " ", answer: 1 }] },
  "a mock tool with a blank error": mock({ error: "  " }),
  "a mock tool over 15 KiB": mock({ answer: text(LIMITS.mockToolBytes) }),
  "a mock tool over 15 KiB of UTF-8": mock({ answer: "ü".repeat(LIMITS.mockToolBytes / 2) }),
  "a mock tool's answer that is nested too deep": mock({ answer: JSON.parse("[".repeat(65) + "]".repeat(65)) }),
  "a mock tool with a negative delay": mock({ answer: 1, delay_ms: -1 }),
  "a mock tool with a delay over the bound": mock({ answer: 1, delay_ms: LIMITS.mockToolDelayMs + 1 }),
};

/** Inputs of personas that break a limit or a rule. */
const OF_PERSONAS: Record<string, FlatInput> = {
  "a blank name": { name: " " },
  "a name over the bound": { name: text(LIMITS.nameCharacters + 1) },
  "a blank personality": { traits: { personality: "  " } },
  "a personality over the bound": { traits: { personality: text(LIMITS.personalityCharacters + 1) } },
  "a language that is none": { traits: { language: "english please" } },
  "a list of languages": { traits: { language: "en,fr" } },
  "an accent over the bound": { traits: { accent: text(LIMITS.capabilityNameCharacters + 1) } },
  "an emotion on two lines": { traits: { emotion: "sad\nangry" } },
  "a pace that there is not": { traits: { pace: "breakneck" } },
  "a noise that there is not": { traits: { backgroundNoise: { kind: "rocket" } } },
  "a patience that there is not": { traits: { patience: "endless" } },
  "a voice without a provider": { models: { voiceId: "alloy" } },
  "a blank provider": { models: { tts: { provider: " ", model: "tts-1" } } },
  "a speed of nothing": { models: { speed: 0 } },
  "a volume over the bound": { models: { volume: LIMITS.multipleMax + 1 } },
};

/** Inputs of a project's mock tools that break a limit or a rule. */
const OF_MOCK_TOOLS: Record<string, FlatInput> = {
  "a blank tool": { tool: " " },
  "a tool over the bound": { tool: text(LIMITS.nameCharacters + 1) },
  "answer and error": { answer: 1, error: "down" },
  "answer null and error": { answer: null, error: "down" },
  "a blank error": { error: " ", answer: undefined },
  "more than 15 KiB": { answer: text(LIMITS.mockToolBytes), error: undefined },
  "an answer that is nested too deep": { answer: JSON.parse("[".repeat(65) + "]".repeat(65)), error: undefined },
  "a delay before it is asked": { delayMs: -1 },
  "a delay over the bound": { delayMs: LIMITS.mockToolDelayMs + 1 },
  "an agent that is not there": { agentIds: [unknownId("agt")] },
  "too many agents": { agentIds: times(LIMITS.agentsOfMockTool + 1, (n) => `agt_${n}`) },
};

const EDITS = {
  personas: ["personas.create", "personas.edit"],
  mockTools: ["mockTools.create", "mockTools.edit"],
} as const;

/** Inputs with a wrong form. */
const MALFORMED: Record<string, FlatInput> = {
  "a number as behavior": { expected_behaviors: [7] },
  "null as behavior": { expected_behaviors: [null] },
  "a number as persona": { personas: [7] },
  "a delay of half a millisecond": mock({ answer: 1, delay_ms: 0.5 }),
  "a delay in words": mock({ answer: 1, delay_ms: "1" }),
  "a mock tool with an unknown member": mock({ answer: 1, delayMs: 5 }),
  "a mock tool that is no object": { mock_tools: ["look_up"] },
  "a mock tool without `tool`": { mock_tools: [{ answer: 1 }] },
};

const rowsOf = (cases: Record<string, FlatInput>, code: Row["code"]): Row[] =>
  Object.entries(cases).flatMap(([what, change]) => [
    {
      name: `tests.create with ${what}`,
      code,
      ask: (w: World) => adminAsk(w, "tests.create", { ...aTest({ project: w.project.id }), ...change }),
    },
    {
      name: `tests.edit with ${what}`,
      code,
      ask: async (w: World) =>
        adminAsk(w, "tests.edit", { ...(await INPUTS["tests.edit"](w)), project: w.project.id, ...change }),
    },
  ]);

const CHANGES: [OperationName, string, FlatInput][] = [
  ...EDITS.personas.flatMap((name) =>
    Object.entries(OF_PERSONAS).map(([what, change]): [OperationName, string, FlatInput] => [name, what, change]),
  ),
  ...EDITS.mockTools.flatMap((name) =>
    Object.entries(OF_MOCK_TOOLS).map(([what, change]): [OperationName, string, FlatInput] => [name, what, change]),
  ),
  ["mockTools.create", "neither answer nor error", { answer: undefined }],
  ["personas.fork", "a blank name", { name: " " }],
  ...(
    [
      "suites.create",
      "suites.edit",
      "projects.create",
      "projects.edit",
      "organization.edit",
      "keys.create",
      "agents.register",
      "agents.edit",
      "agents.restore",
      "connections.create",
      "connections.edit",
    ] as const
  ).flatMap((name): [OperationName, string, FlatInput][] => [
    [name, "a blank name", { name: "  " }],
    [name, "a name over the bound", { name: text(LIMITS.nameCharacters + 1) }],
  ]),
  ...(["projects.create", "projects.edit"] as const).flatMap((name): [OperationName, string, FlatInput][] =>
    ["", "Upper", "a--b", "-a", "a b", "ä", text(64)].map((slug) => [
      name,
      `the slug ${JSON.stringify(slug)}`,
      { slug },
    ]),
  ),
  ["tests.create", "a suite that is not there", { suite: "no such suite" }],
  ["tests.readBehaviors", "no behavior", { behaviors: [] }],
  ["tests.readBehaviors", "a blank behavior", { behaviors: [" "] }],
  ["tests.readBehaviors", "a behavior over the bound", { behaviors: [text(LIMITS.behaviorCharacters + 1)] }],
  ["tests.readBehaviors", "too many behaviors", { behaviors: times(LIMITS.behaviors + 1, (n) => `${n}`) }],
  ["agents.register", "a platform that is none", { agentPlatform: "elsewhere" }],
  ["agents.register", "a blank id on its platform", { platformAgentId: " " }],
  ["agents.register", "an id over the bound", { platformAgentId: text(LIMITS.nameCharacters + 1) }],
  ["connections.create", "a type that is none", { connectionType: "telepathy" }],
  ["connections.create", "another type's access variant", { accessVariant: "platform_b_room.project_credentials" }],
  ["connections.create", "a modality that its type does not support", { modality: "voice" }],
  ...(["connections.create", "connections.edit"] as const).flatMap((name): [OperationName, string, FlatInput][] => [
    [name, "a blank environment", { environment: " " }],
    [name, "an environment over the bound", { environment: text(LIMITS.environmentCharacters + 1) }],
    [name, "a config that lacks what its type needs", { config: {} }],
    [name, "a credential that lacks what its type needs", { credential: {} }],
  ]),
  ["accounts.signUp", "a short password", { password: text(LIMITS.passwordCharactersMin - 1) }],
  ["accounts.signUp", "a long password", { password: text(LIMITS.passwordCharactersMax + 1) }],
  ["accounts.signUp", "a blank name", { name: " " }],
  ["accounts.signUp", "an address without a domain", { email: "somebody" }],
  ["accounts.signUp", "an address over the bound", { email: `${text(250)}@acme.test` }],
  ["accounts.signIn", "an address without a domain", { email: "somebody" }],
  ["accounts.signIn", "a long password", { password: text(LIMITS.passwordCharactersMax + 1) }],
  ["invitations.create", "an address without a domain", { email: "somebody" }],
  ["invitations.create", "a role that there is not", { role: "owner" }],
  ["members.edit", "a role that there is not", { role: "owner" }],
];

const ofOthers: Row[] = CHANGES.map(([name, what, change]) => ({
  name: `${name} with ${what}`,
  code: "unprocessable",
  ask: async (w) =>
    adminAsk(w, name, { project: w.project.id, projectId: w.project.id, ...(await INPUTS[name](w)), ...change }),
}));

export const bounds: Row[] = [
  ...rowsOf(CONTENT, "unprocessable"),
  ...rowsOf(MALFORMED, "invalid_request"),
  ...ofOthers,
];
