import { type ConnectionTry, idInput, LIMITS } from "@svc/contract";
import { z } from "zod";
import { selectVariant } from "../agents/connection-form.ts";
import { isInWriting, tryConnection } from "../agents/connection-try.ts";
import { usage } from "../refusal.ts";
import { selectAgent, selectConnection } from "../runs/select.ts";
import { DATA_NOTE, fenced, firstThatFits, said, tool, type ToolContext } from "./tool.ts";

const Tried = z.strictObject({
  note: z.string(),
  result: z.enum(["works", "fails", "not_tried"]),
  message: z.string(),
  steps: z.array(z.strictObject({ step: z.string(), result: z.string(), durationMs: z.number().nullable() })),
  answer: z
    .string()
    .nullable()
    .describe("What the agent said last; null when it said nothing, or its words are unknown."),
  turns: z.array(z.strictObject({ speaker: z.enum(["agent", "caller"]), words: z.string().nullable() })),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      arguments: z.string().describe("As JSON; the first characters."),
      mocked: z.boolean(),
      error: z.string().nullable(),
      durationMs: z.number(),
    }),
  ),
  moreTools: z.int().describe("Tool calls that are not shown."),
});

type Spoken = {
  message?: string;
  furtherMessages?: string[] | undefined;
  staysOpen?: boolean;
  conversationId?: string | undefined;
};

/** Sizes of an answer: the characters of the last answer and of each other text, and the number of tool calls. */
const LEVELS = [
  [1_500, 500, 20],
  [700, 200, 10],
  [300, 80, 5],
] as const;

async function tried<More extends object>(
  { session }: ToolContext,
  agentId: string,
  connectionId: string,
  spoken: Spoken,
  moreOf: (one: ConnectionTry) => More,
) {
  const { projectId } = session;
  const one = await tryConnection(session, { agentId, connectionId, projectId, ...spoken });
  const answer = one.turns.findLast(({ role }) => role === "agent")?.text ?? null;
  return firstThatFits(
    LEVELS.map(([ofAnswer, ofText, calls]) => () => {
      const value: z.input<typeof Tried> = {
        note: DATA_NOTE,
        result: one.result,
        message: said(one.message, 300),
        steps: one.steps.map(({ step, result, durationMs }) => ({ step, result, durationMs })),
        answer: answer && said(answer, ofAnswer),
        turns: one.turns.map(({ role, text }) => ({ speaker: role, words: text && said(text, ofText) })),
        tools: one.toolCalls.slice(0, calls).map(({ name, arguments: given, mocked, error, durationMs }) => ({
          name: said(name, 80),
          arguments: said(given, Math.min(ofText, 200)),
          mocked,
          error: error && said(error, Math.min(ofText, 150)),
          durationMs,
        })),
        moreTools: Math.max(0, one.toolCalls.length - calls),
      };
      const words = answer === null ? `${value.result}: ${value.message}` : fenced([said(answer, 300)]);
      const open = one.openConversation;
      const text = open === null ? words : `${words}\nTo go on, call again with conversationId ${open.id}.`;
      return { value: { ...value, ...moreOf(one) }, text };
    }),
  );
}

export const say = tool({
  name: "say",
  title: "Talk to an agent",
  description: `Says a message to an agent over its connection. Answers with the words of both sides, the tool calls and the times of each step. To go on with the conversation, call again with its conversationId; a call without one begins another. A conversation in writing stays open for ${LIMITS.openConversationSeconds / 60} minutes. Nothing is stored.`,
  needs: "test",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    message: z.string().min(1).max(LIMITS.connectionTryCharacters),
    furtherMessages: z
      .array(z.string().min(1).max(LIMITS.connectionTryCharacters))
      .max(LIMITS.connectionTryFurtherMessages)
      .optional()
      .describe("Said in the same conversation, each after the agent's answer. Not in a call."),
    conversationId: idInput("sim")
      .optional()
      .describe("Of the conversation to go on with, from an earlier answer. With the same agent and connection."),
    agent: z.string().optional().describe("Id or exact name. Default: the only agent."),
    connection: z.string().optional().describe("Id or exact name. Default: the agent's only connection."),
  }),
  output: Tried.extend({
    conversationId: z.string().nullable().describe("To go on with the conversation. Null when it has ended."),
  }),
  async run({ agent, connection, ...spoken }, context) {
    const { client, projectId } = context.session;
    const agentId = await selectAgent(context.session, agent);
    const connectionId = await selectConnection(context.session, agentId, connection);
    const { connection: stored } = await client.connections.get({ agentId, connectionId, projectId });
    const staysOpen = isInWriting(stored);
    return tried(context, agentId, connectionId, { ...spoken, staysOpen }, ({ openConversation }) => ({
      conversationId: openConversation?.id ?? null,
    }));
  },
});

export const connectAgent = tool({
  name: "connect_agent",
  title: "Connect an agent",
  description:
    'Adds a connection to an agent, which it creates when there is none of the name, and tries it. Called again with the same address, it only tries. For an agent with an HTTP endpoint: connectionType "http_chat", config {"url": "http://127.0.0.1:8080/chat", "format": "openai"} for chat completions, or "svc" for the format of svc. A connection with a secret is added by a person: `svc connections add`.',
  needs: "write",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    agent: z.string().min(1).max(LIMITS.nameCharacters).describe("Exact name of the agent."),
    connectionType: z.string().describe("A type of `svc connections options`, such as http_chat."),
    config: z.record(z.string(), z.string()).default({}),
    name: z.string().min(1).max(LIMITS.nameCharacters).optional(),
  }),
  output: Tried.extend({ agentId: z.string(), connectionId: z.string() }),
  async run({ agent, connectionType, config, name }, context) {
    const { client } = context.session;
    const { connectionOptions } = await client.connectionOptions.list();
    const typed = connectionOptions.find((type) => type.connectionType === connectionType);
    const open = typed?.accessVariants.find(({ credential }) => credential.every(({ required }) => !required));
    const { variant } = selectVariant(connectionOptions, connectionType, open?.accessVariant);
    if (open === undefined)
      throw usage(
        `A connection of the type ${connectionType} needs a secret, which no assistant should see. A person adds it: svc connections add ${JSON.stringify(agent)} --type ${connectionType}`,
      );
    const agentId = await agentIdOf(context.session, agent);
    const chosen = { connectionType, accessVariant: variant.accessVariant, config };
    const optional = variant.config.filter(({ required }) => !required).map((field) => field.name);
    const connectionId =
      (await sameConnection(context.session, agentId, chosen, optional)) ??
      (await addConnection(context.session, agentId, name, chosen));
    return tried(context, agentId, connectionId, {}, () => ({ agentId, connectionId }));
  },
});

async function agentIdOf({ client, projectId, pages }: ToolContext["session"], name: string): Promise<string> {
  for await (const agent of pages(client.agents.list, { projectId, pageSize: 200 }))
    if (agent.name === name) return agent.id;
  return (await client.agents.register({ name, projectId })).agent.id;
}

type Chosen = { connectionType: string; accessVariant: string; config: Record<string, string> };

/** Finds the connection of an earlier call, which may have named required members that this call leaves out. */
async function sameConnection(
  { client, projectId, pages }: ToolContext["session"],
  agentId: string,
  { connectionType, accessVariant, config }: Chosen,
  optional: readonly string[],
): Promise<string | undefined> {
  for await (const one of pages(client.connections.list, { agentId, projectId, pageSize: 200 })) {
    const stored = one.config as Record<string, unknown>;
    const isSame = [...Object.keys(config), ...optional].every((name) => stored[name] === config[name]);
    if (isSame && one.connectionType === connectionType && one.accessVariant === accessVariant) return one.id;
  }
  return undefined;
}

async function addConnection(
  { client, projectId }: ToolContext["session"],
  agentId: string,
  name: string | undefined,
  { connectionType, accessVariant, config }: Chosen,
): Promise<string> {
  type NewConnection = Parameters<typeof client.connections.create>[0];
  const { connection } = await client.connections.create({
    agentId,
    projectId,
    name,
    connectionType: connectionType as NewConnection["connectionType"],
    accessVariant: accessVariant as NewConnection["accessVariant"],
    config,
  });
  return connection.id;
}
