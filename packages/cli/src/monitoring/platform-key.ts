import { askSecret } from "../terminal/prompt.ts";

export async function askPlatformKey(): Promise<string> {
  const key = process.env.SVC_PLATFORM_A_API_KEY?.trim();
  if (key) return key;
  return askSecret("API key of Retell", (text) =>
    text === "" ? "An API key of the platform is required." : undefined,
  );
}
