import type { answerMcp as answer } from "../mcp/http.ts";
import { EXIT, Refusal } from "../refusal.ts";
import { commandLine } from "../version.ts";
import { loadService } from "./service-packages.ts";

/** Loads the MCP code when the first MCP request arrives. */
const answerMcp: typeof answer = async (...asked) => (await import("../mcp/http.ts")).answerMcp(...asked);

/** Starts the service and its web pages in this process, until SIGINT or SIGTERM. */
export async function startServer(settings: Record<string, string | undefined>): Promise<{ url: string }> {
  const load = async () => {
    const { prepareLoader } = await import("@svc/server/loader-thread");
    prepareLoader();
    return Promise.all([import("@svc/server"), import("@svc/web")]);
  };
  const [{ main }, { webFolder }] = await loadService(load);
  try {
    return await main(settings, { webFolder: await webFolder(), commandLine: commandLine(), answerMcp });
  } catch (error) {
    throw new Refusal("not_started", (error as Error).message, EXIT.unreachable);
  }
}
