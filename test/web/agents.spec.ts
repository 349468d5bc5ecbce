import { CONNECTION_OPTIONS } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { mockToolsOf, monitoringOf } from "../../packages/web/src/agents/agent-words.ts";
import {
  type Connection,
  type ConnectionOption,
  creationOf,
  differencesOf,
  draftOf,
  editOf,
  emptyDraft,
  fieldPathsOf,
  isChanged,
  labelOf,
  optionsFor,
  variantLabel,
  variantOf,
  withVariant,
} from "../../packages/web/src/agents/connection-draft.ts";
import { unregisteredOf } from "../../packages/web/src/agents/unregistered-names.tsx";

const OPTIONS: readonly ConnectionOption[] = CONNECTION_OPTIONS;
const optionOf = (type: string) => OPTIONS.find(({ connectionType }) => connectionType === type)!;

const STORED = {
  id: "con_1",
  agentId: "agt_1",
  projectId: "prj_1",
  name: "Staging",
  agentPlatform: "custom",
  connectionType: "http_chat",
  accessVariant: "http_chat.bearer",
  modality: "chat",
  productLabel: "HTTP chat endpoint",
  topology: "svc-dials-in",
  environment: "staging",
  config: { url: "https://agent.example/chat", format: "svc" },
  credentialPresent: true,
  credentialsHint: "x9Qk",
  archived: false,
  archivedAt: null,
  revision: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
} as const satisfies Connection;

describe("the connection types of an agent", () => {
  test("a custom agent gets every type, and the types of any platform come first", () => {
    const types = optionsFor({ agentPlatform: "custom" }, OPTIONS, undefined);
    expect(types.length).toBe(OPTIONS.length);
    expect(types[0]!.agentPlatform).toBeNull();
  });

  test("the types that simulations play come before the others", () => {
    for (const agentPlatform of ["custom", "platform_a", "platform_b_agents"]) {
      const played = optionsFor({ agentPlatform }, OPTIONS, undefined).map(({ plays }) => plays.text || plays.speech);
      expect(played).toEqual(played.toSorted((a, b) => Number(b) - Number(a)));
      expect(played[0]).toBe(true);
    }
  });

  test("an agent of a platform gets the types of that platform first, and none of another platform", () => {
    const types = optionsFor({ agentPlatform: "platform_a" }, OPTIONS, undefined);
    expect(types[0]!.agentPlatform).toBe("platform_a");
    expect(types.filter(({ agentPlatform }) => agentPlatform === "platform_b_agents")).toEqual([]);
  });

  test("a stored connection keeps its type", () => {
    const types = optionsFor({ agentPlatform: "custom" }, OPTIONS, STORED);
    expect(types.map(({ connectionType }) => connectionType)).toEqual(["http_chat"]);
  });
});

describe("the draft of a connection", () => {
  test("a required choice starts with its first value, and other fields are empty", () => {
    expect(emptyDraft(optionOf("http_chat")).config).toEqual({ format: "openai" });
    expect(emptyDraft(optionOf("platform_b_room")).config).toEqual({});
  });

  test("another access keeps the settings that both have, and no secret", () => {
    const option = optionOf("platform_b_room");
    const draft = { ...emptyDraft(option), config: { url: "wss://a", agentName: "b" }, secrets: { apiKey: "secret" } };
    const changed = withVariant(draft, option.accessVariants[1]!, option);
    expect(changed.config).toEqual({ url: "wss://a" });
    expect(changed.secrets).toEqual({});
    expect(variantOf(changed, option)).toBe(option.accessVariants[1]);
  });

  test("a new connection leaves out empty fields, an empty name and an empty credential", () => {
    const draft = { ...emptyDraft(optionOf("http_chat")), config: { url: "https://a", format: "svc", model: " " } };
    expect(creationOf(draft)).toEqual({
      connectionType: "http_chat",
      accessVariant: "http_chat.public",
      modality: "chat",
      environment: "production",
      config: { url: "https://a", format: "svc" },
    });
  });

  test("a credential of headers has the headers with a name", () => {
    const option = optionOf("platform_b_room");
    const draft = {
      ...emptyDraft(option, option.accessVariants[1]!),
      headers: {
        headers: [
          { name: " Authorization ", value: "Bearer x" },
          { name: "", value: "y" },
        ],
      },
    };
    expect(creationOf(draft).credential).toEqual({ headers: { Authorization: "Bearer x" } });
  });

  test("an edit sends the changed fields and the revision that the person saw", () => {
    const draft = { ...draftOf(STORED), environment: "production" };
    expect(editOf(draft, STORED, 3)).toEqual({ environment: "production", expectedRevision: 3 });
    expect(editOf({ ...draftOf(STORED), secrets: { apiKey: "new secret" } }, STORED, 3)).toEqual({
      credential: { apiKey: "new secret" },
      expectedRevision: 3,
    });
  });

  test("an unchanged draft is no change", () => {
    expect(isChanged(draftOf(STORED), STORED)).toBe(false);
    expect(isChanged({ ...draftOf(STORED), config: { url: "https://other", format: "svc" } }, STORED)).toBe(true);
  });

  test("the differences from the current content name both values", () => {
    const current = { ...STORED, name: "Stage", config: { url: "https://agent.example/chat", format: "openai" } };
    expect(differencesOf({ ...draftOf(STORED), environment: "test" }, current)).toEqual([
      { label: "Name", mine: "Staging", theirs: "Stage" },
      { label: "Environment", mine: "test", theirs: "staging" },
      { label: "Format", mine: "svc", theirs: "openai" },
    ]);
  });

  test("every field of every type has a path for the words of the service", () => {
    for (const option of OPTIONS)
      for (const variant of option.accessVariants) {
        const paths = fieldPathsOf(emptyDraft(option, variant), option);
        expect(paths.filter((path) => path.includes(".")).length).toBe(
          variant.config.length + variant.credential.length,
        );
      }
  });
});

describe("words", () => {
  test.each([
    ["url", "URL"],
    ["tokenEndpoint", "Token endpoint"],
    ["apiKey", "API key"],
    ["platformAAgentId", "Platform A agent id"],
    ["phoneNumber", "Phone number"],
  ])("the field %s is called %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });

  test("an access variant loses its type", () => {
    expect(variantLabel("platform_b_room.customer_token_endpoint")).toBe("Customer token endpoint");
  });
});

describe("an agent", () => {
  const AGENT = { agentPlatform: "platform_a", platformAgentId: "agent_1", lastReceivedAt: null } as Parameters<
    typeof monitoringOf
  >[0];
  const setups = (state: string, open_failures: number) =>
    [{ agents: [{ platform_agent_id: "agent_1", state, imported: 12, open_failures }] }] as unknown as Parameters<
      typeof monitoringOf
    >[1];

  test("the monitoring of an imported agent names its calls and its failures", () => {
    expect(monitoringOf(AGENT, setups("active", 0)).words).toBe("Imports are up to date: 12 calls imported");
    expect(monitoringOf(AGENT, setups("degraded", 2)).words).toBe("Imports fail: 12 calls imported, 2 not imported");
  });

  test("an agent outside the setups is monitored when its conversations arrive", () => {
    expect(monitoringOf(AGENT, []).state).toBe("off");
    expect(monitoringOf({ ...AGENT, lastReceivedAt: "2026-01-01T00:00:00.000Z" }, []).state).toBe("sending");
  });

  test("names of conversations without an agent are sorted by their conversations", () => {
    const series = [
      { agentName: null, conversations: 9, errors: 0 },
      { agentName: "Clinic", conversations: 1, errors: 0 },
      { agentName: "Desk", conversations: 5, errors: 0 },
      { agentName: "Concierge", conversations: 3, errors: 1 },
    ];
    const names = unregisteredOf(series, [{ name: "Desk" }]).map(({ agentName }) => agentName);
    expect(names).toEqual(["Concierge", "Clinic"]);
  });

  test("a mock tool without agents applies to every agent", () => {
    const tools = [{ agentIds: [] }, { agentIds: ["agt_1"] }, { agentIds: ["agt_2"] }] as unknown as Parameters<
      typeof mockToolsOf
    >[0];
    expect(mockToolsOf(tools, "agt_1")).toEqual([tools[0], tools[1]]);
  });
});
