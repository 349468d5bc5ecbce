import { EXIT, Refusal } from "./refusal.ts";

/** Starts the service in this process until SIGINT or SIGTERM; refuses settings that are invalid. */
export async function startServer(settings: Record<string, string | undefined>): Promise<{ url: string }> {
  const { main } = await import("@svc/server");
  try {
    return await main(settings);
  } catch (error) {
    throw new Refusal("not_started", (error as Error).message, EXIT.unreachable);
  }
}
