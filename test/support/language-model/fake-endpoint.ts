import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Asked = {
  authorization: string | undefined;
  body: {
    model: string;
    messages: { role: string; content: string }[];
    temperature?: number;
    seed?: number;
    max_tokens?: number;
    max_completion_tokens?: number;
    response_format?: unknown;
    tools?: unknown;
  };
};

/** Answers one request to the endpoint. */
export type Behavior = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

/**
 * Starts a chat completions endpoint over real HTTP. The first behavior answers the first request, and so on; the last one answers
 * all later requests.
 */
export async function fakeEndpoint(...behaviors: Behavior[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const entry: Asked = { authorization: request.headers.authorization, body: JSON.parse(body) as Asked["body"] };
    asked.push(entry);
    behaviors[Math.min(asked.length, behaviors.length) - 1]!(entry, response, request);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    settings: {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: "fake-key-of-the-model",
      model: "fake-1",
      privateAddresses: "allow" as const,
    },
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

const completion = ({ body }: Asked, message: object, finish = "stop") => ({
  id: "c1",
  object: "chat.completion",
  model: `${body.model}-2026-01`,
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
});

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

export const answers =
  (content: string | ((asked: Asked) => string)): Behavior =>
  (asked, response) =>
    json(response, 200, completion(asked, { content: typeof content === "string" ? content : content(asked) }));

/** Answers with these members of the completion instead of the usual ones; `finish` is its `finish_reason`. */
export const answersWith =
  (content: string | ((asked: Asked) => string), { finish = "stop", ...members }: Record<string, unknown>): Behavior =>
  (asked, response) => {
    const text = typeof content === "string" ? content : content(asked);
    json(response, 200, { ...completion(asked, { content: text }, finish as string), ...members });
  };

export const callsTools =
  (...calls: { name: string; arguments: string }[]): Behavior =>
  (asked, response) =>
    json(
      response,
      200,
      completion(
        asked,
        { content: null, tool_calls: calls.map((call, i) => ({ id: `t${i}`, type: "function", function: call })) },
        "tool_calls",
      ),
    );

/** Refuses with a message that the service must not repeat. */
export const refuses =
  (status: number, headers: Record<string, string> = {}): Behavior =>
  ({ authorization }, response) =>
    json(response, status, { error: { message: `secret words with ${authorization}` } }, headers);

export const sendsRaw =
  (body: string, status = 200): Behavior =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body);

export const hangs: Behavior = () => {};

export const breaksOff: Behavior = (_, response) => void response.socket!.destroy();
