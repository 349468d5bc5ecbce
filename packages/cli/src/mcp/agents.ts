import { LIMITS } from "@svc/contract";
import { z } from "zod";
import { selectVariant } from "../agents/connection-form.ts";
import { tryConnection } from "../agents/connection-try.ts";
import { usage } from "../refusal.ts";
import { selectAgent, selectConnection } from "../runs/select.ts";
import { DATA_NOTE, fenced, said, tool, type ToolContext } from "./tool.ts";

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
  tools: z.array(z.strictObject({ name: z.string(), mocked: z.boolean(), error: z.string().nullable() })),
});

type Messages = { message?: string; furtherMessages?: string[] | undefined };

async function tried({ session }: ToolContext, agentId: string, connectionId: string, messages: Messages = {}) {
  const { projectId } = session;
  const one = await tryConnection(session, { agentId, connectionId, projectId, ...messages });
  const answer = one.turns.findLast(({ role }) => role === "agent")?.text ?? null;
  const value: z.input<typeof Tried> = {
    note: DATA_NOTE,
    result: one.result,
    message: said(one.message, 300),
    steps: one.steps.map(({ step, result, durationMs }) => ({ step, result, durationMs })),
    answer: answer && said(answer, 1_500),
    turns: one.turns.map(({ role, text }) => ({ speaker: role, words: text && said(text, 500) })),
    tools: one.toolCalls
      .slice(0, 20)
      .map(({ name, mocked, error }) => ({ name: said(name, 80), mocked, error: error && said(error, 150) })),
  };
  const text = value.answer === null ? `${value.result}: ${value.message}` : fenced([said(value.answer, 300)]);
  return { value, text };
}

export const say = tool({
  name: "say",
  title: "Talk to an agent",
  description:
    "Says a message to an agent over its connection, and further messages after each answer, in one conversation. Answers with the words of both sides, the tool calls and the times of each step. Nothing is stored. Each call is a new conversation.",
  needs: "test",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    message: z.string().min(1).max(LIMITS.connectionTryCharacters),
    furtherMessages: z
      .array(z.string().min(1).max(LIMITS.connectionTryCharacters))
      .max(LIMITS.connectionTryFurtherMessages)
      .optional()
      .describe("Said in the same conversation, each after the agent's answer. Not in a call."),
    agent: z.string().optional().describe("Id or exact name. Default: the only agent."),
    connection: z.string().optional().describe("Id or exact name. Default: the agent's only connection."),
  }),
  output: Tried,
  async run({ message, furtherMessages, agent, connection }, context) {
    const agentId = await selectAgent(context.session, agent);
    return tried(context, agentId, await selectConnection(context.session, agentId, connection), {
      message,
      furtherMessages,
    });
  },
});

export const connectAgent = tool({
  name: "connect_agent",
  title: "Connect an agent",
  description:
    'Adds a connection to an agent, which it creates when there is none of the name, and tries it. Called again with the same address, it only tries. For an agent with an HTTP endpoint: connectionType "http_chat", config {"url": "http://127.0.0.1:8080/chat", "format": "svc"}. A connection with a secret is added by a person: `svc connections add`.',
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
    const connectionId =
      (await sameConnection(context.session, agentId, chosen)) ??
      (await addConnection(context.session, agentId, name, chosen));
    const { value, text } = await tried(context, agentId, connectionId);
    return { value: { ...value, agentId, connectionId }, text };
  },
});

async function agentIdOf({ client, projectId, pages }: ToolContext["session"], name: string): Promise<string> {
  for await (const agent of pages(client.agents.list, { projectId, pageSize: 200 }))
    if (agent.name === name) return agent.id;
  return (await client.agents.register({ name, projectId })).agent.id;
}

type Chosen = { connectionType: string; accessVariant: string; config: Record<string, string> };

/** Returns a stored connection with the same settings, so that a repeated call adds no connection. */
async function sameConnection(
  { client, projectId, pages }: ToolContext["session"],
  agentId: string,
  { connectionType, accessVariant, config }: Chosen,
): Promise<string | undefined> {
  for await (const one of pages(client.connections.list, { agentId, projectId, pageSize: 200 })) {
    const stored = one.config as Record<string, unknown>;
    const isSame = Object.entries(config).every(([name, value]) => stored[name] === value);
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
