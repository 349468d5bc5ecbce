export type ServerUnderTest = {
  url: string;
  key: string;
  /** Waits until so many more spans are where a reader finds them. */
  settle: (spans: number) => Promise<void>;
  close: () => unknown;
};

export type Question = { ask: "cpu" } | { ask: "settle"; spans: number } | { ask: "close" };
export type Cpu = { cpuMs: number; rssMb: number };

/** Answers the benchmark, which is the parent process: where the server is, and what it has used. */
export function answerCpuQuestions(server: ServerUnderTest): void {
  process.on("message", async (question: Question) => {
    if (question.ask === "settle") await server.settle(question.spans);
    if (question.ask === "close") {
      await server.close();
      process.exit(0);
    }
    const { user, system } = process.cpuUsage();
    process.send!({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 1e6 } satisfies Cpu);
  });
  process.send!({ url: server.url, key: server.key });
}
