export type ServerUnderTest = {
  url: string;
  key: string;
  /** Resolves once every span that was acknowledged is where a reader finds it. */
  settle: () => Promise<void>;
  close: () => unknown;
};

export type Question = "usage" | "settle" | "close";
export type Usage = { cpuMs: number; rssMb: number };

/** Answers the benchmark, which is the parent process: where the server is, and what it has used. */
export function answerCpuQuestions(server: ServerUnderTest): void {
  process.on("message", async (question: Question) => {
    if (question === "settle") await server.settle();
    if (question === "close") {
      await server.close();
      process.exit(0);
    }
    const { user, system } = process.cpuUsage();
    process.send!({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 1e6 } satisfies Usage);
  });
  process.on("disconnect", () => process.exit(1)); // a benchmark that was broken off leaves no server behind
  process.send!({ url: server.url, key: server.key });
}
