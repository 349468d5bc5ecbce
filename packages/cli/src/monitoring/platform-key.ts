import { askSecret } from "../terminal/prompt.ts";

/** Reads the platform's API key from SVC_PLATFORM_A_API_KEY, or else from a hidden prompt or the first line of standard input. */
export async function askPlatformKey(): Promise<string> {
  const key = process.env.SVC_PLATFORM_A_API_KEY?.trim();
  if (key) return key;
  return askSecret("API key of Retell", (text) =>
    text === "" ? "An API key of the platform is required." : undefined,
  );
}
