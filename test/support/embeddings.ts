// Starts an endpoint of the OpenAI embeddings API: a real HTTP server whose vectors a spec decides.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UNRELATED_TEXTS } from "../../packages/server/src/groups/meaning.ts";

export type AskedForVectors = { authorization: string | undefined; body: { model: string; input: string[] } };

/** Answers one request in place of the endpoint. */
export type AnswerForVectors = (asked: AskedForVectors, response: ServerResponse) => void;

/** Returns an answer with these vectors, in the form of the API. */
export const vectorsAnswer = (vectors: readonly unknown[]) => ({
  object: "list",
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

const isUnrelated = (text: string) => UNRELATED_TEXTS.includes(text);

/** The vectors of the service's unrelated texts have a mean similarity below 0, so that similarities are those of the vectors. */
const vectorOfUnrelated = (text: string) => (UNRELATED_TEXTS.indexOf(text) % 2 === 0 ? [1, 0] : [-1, 0]);

/** `vectorOf` decides the vector of a text. While `answer` is set, it answers instead. */
export async function startEmbeddings(vectorOf: (text: string) => number[]) {
  const asked: AskedForVectors[] = [];
  let answer: AnswerForVectors | undefined;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8")) as AskedForVectors["body"];
    const one = { authorization: request.headers.authorization, body };
    asked.push(one);
    if (answer !== undefined) return answer(one, response);
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(
        JSON.stringify(
          vectorsAnswer(body.input.map((text) => (isUnrelated(text) ? vectorOfUnrelated(text) : vectorOf(text)))),
        ),
      );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    asked,
    /** The texts of failures for which the service asked. */
    texts: () => asked.flatMap(({ body }) => body.input).filter((text) => !isUnrelated(text)),
    answerWith: (next: AnswerForVectors | undefined) => void (answer = next),
    settings: (similarity = 0.9, model = "vectors-1") => ({
      SVC_EMBEDDINGS_BASE_URL: url,
      SVC_EMBEDDINGS_MODEL: model,
      SVC_EMBEDDINGS_SIMILARITY: String(similarity),
    }),
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
