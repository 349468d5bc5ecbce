import { EXIT, Refusal } from "./refusal.ts";

/** Starts the service in this process, until SIGINT or SIGTERM end both; what does not fit is refused with the mend. */
export async function startServer(settings: Record<string, string | undefined>): Promise<{ url: string }> {
  const { main } = await import("@svc/server");
  try {
    return await main(settings);
  } catch (error) {
    throw new Refusal("not_started", (error as Error).message, EXIT.unreachable);
  }
}
