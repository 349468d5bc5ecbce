type ServerUnderTest = {
  url: string;
  key: string;
  /** Resolves once every acknowledged span can be read. */
  drain: () => Promise<void>;
  /** Resolves when every conversation is derived too; by default the same as `drain`. */
  read?: () => Promise<void>;
  close: () => unknown;
};

export type Question = "usage" | "drain" | "read" | "close";
export type Usage = { cpuMs: number; rssMb: number };

/** Sends the server's address, CPU time and memory to the benchmark, which is the parent process. */
export function answerQuestions(server: ServerUnderTest): void {
  process.on("message", async (question: Question) => {
    if (question === "drain") await server.drain();
    if (question === "read") await (server.read ?? server.drain)();
    if (question === "close") {
      await server.close();
      process.exit(0);
    }
    const { user, system } = process.cpuUsage();
    process.send!({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 1e6 } satisfies Usage);
  });
  process.on("disconnect", () => process.exit(1)); // an aborted benchmark must not leave a server running
  process.send!({ url: server.url, key: server.key });
}
