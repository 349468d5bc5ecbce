// The service for bench/lists.ts. It measures the CPU time of each task of its main thread, because other programs on the machine
// do not change CPU time.
import { startServer } from "../test/support/server.ts";
import { keySettings } from "../test/support/secret.ts";

export type ListsQuestion = "longest" | "drain" | "close";
export type ListsServer = { url: string; key: string };

const [dataDir, adminKey, projectKey] = process.argv.slice(2) as [string, string, string];
const settings = keySettings({ adminKey, projectKey });
const server = await startServer({ checkAnswers: false, dataDir, settings });

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longestMs = 0;
let beganMs = cpuMs();
function watch(): void {
  const nowMs = cpuMs();
  longestMs = Math.max(longestMs, nowMs - beganMs);
  beganMs = nowMs;
  setImmediate(watch);
}
watch();

process.on("message", async (question: ListsQuestion) => {
  if (question === "close") {
    await server.close();
    process.exit(0);
  }
  if (question === "drain") await server.conversationsRead();
  process.send!(longestMs);
  longestMs = 0;
});
process.on("disconnect", () => process.exit(1)); // an aborted benchmark must not leave a server running
process.send!({ url: server.url, key: server.projectKey } satisfies ListsServer);
