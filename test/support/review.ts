import type { ReviewItem } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { answers, fakeEndpoint } from "./language-model/fake-endpoint.ts";
import { decides, lastPrompt } from "./language-model/judge-replies.ts";
import { conversation, graded, sendSpans } from "./production.ts";
import { startServer, type TestServer } from "./server.ts";
import { until } from "./until.ts";
import { freshName } from "./world.ts";

/** The agent's words for each kind of decision of the judge: a sure pass, differing votes, a pass with low confidence, and a fail. */
export const SAYS = {
  sure: "This answer is entirely fine.",
  split: "This answer splits the votes.",
  doubt: "This answer is in some doubt.",
  bad: "This answer is plainly wrong.",
} as const;
export type Said = keyof typeof SAYS;

/** Starts a fake judge that decides by the agent's words. For the words with differing votes, every second vote is a fail. */
async function startJudge() {
  const votes = new Map<string, number>();
  const endpoint = await fakeEndpoint(
    answers(
      decides((behavior, asked) => {
        const prompt = lastPrompt(asked);
        const [said, text] = Object.entries(SAYS).find(([, words]) => prompt.includes(words)) ?? ["bad", ""];
        const turn = Number(/\[(\d+)\] agent/.exec(prompt)?.[1] ?? 1);
        const quoted = { evidence: [{ turn, quote: text }] };
        if (said === "bad") return { status: "fail" };
        if (said === "doubt") return { status: "pass", confidence: 0.4, ...quoted };
        const key = `${behavior} ${/number \d+/.exec(prompt)?.[0]}`;
        const vote = votes.get(key) ?? 0;
        votes.set(key, vote + 1);
        return said === "split" && vote === 1 ? { status: "fail" } : { status: "pass", ...quoted };
      }),
    ),
  );
  const { baseUrl, apiKey, model } = endpoint.settings;
  return {
    settings: { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model },
    stop: endpoint.stop,
  };
}

type Options = NonNullable<Parameters<typeof startServer>[0]>;

/** Starts a service with this judge. The service searches for conversations to grade and for alerts at very short intervals. */
export async function startReviewed({ settings, ...more }: Options = {}) {
  const judge = await startJudge();
  const server = await startServer({
    productionPace: { everyMs: 50 },
    evaluateAlertsEveryMs: 20,
    queueAlertsEveryMs: 20,
    settings: { ...judge.settings, ...settings },
    ...more,
  });
  return {
    ...server,
    judgeSettings: judge.settings,
    async stop() {
      await server.stop();
      judge.stop();
    },
  };
}

/** Returns a client of a new project that has a grader with a judge for production conversations. */
export async function reviewedProject(server: Pick<TestServer, "admin" | "clientOf">) {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
  return { project, client, grader: await judgingGrader(client) };
}

export const judgingGrader = async (client: Client, name = freshName("Polite")) =>
  (
    await client.graders.create({
      name,
      definition: { kind: "llm", criterion: `The agent is ${name}.` },
      scope: "production",
    })
  ).grader;

let trace = 0;

/** Sends production conversations, one of each kind, and returns their numbers once they are graded. */
export async function say(server: TestServer, client: Client, ...said: Said[]): Promise<number[]> {
  const traces = said.map(() => ++trace);
  await sendSpans(
    server,
    client,
    traces.flatMap((number, at) => conversation(number, `${SAYS[said[at]!]} It is number ${number}.`)),
  );
  for (const number of traces) await graded(client, number);
  return traces;
}

/** Waits until the queue has this many items, and returns them, oldest first. */
export const queued = (client: Client, count: number, filters: Parameters<Client["review"]["list"]>[0] = {}) =>
  until(`${count} items are in the queue`, async (): Promise<ReviewItem[] | false> => {
    const { items } = await client.review.list({ pageSize: 200, ...filters });
    return items.length >= count && items.toReversed();
  });

export const reasonsOf = ({ reasons }: ReviewItem) => reasons.map(({ reason }) => reason);
