import type { Browser, BrowserContext, Page } from "playwright-core";
import { ADMIN } from "./seed.ts";

export const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
export const THEMES = ["light", "dark"] as const;

/** Opens a browser's context for one person, with the session of the admin unless `signedIn` is false. */
export async function openContext(
  browser: Browser,
  url: string,
  {
    size = "wide",
    theme = "light",
    signedIn = true,
  }: {
    size?: keyof typeof SIZES;
    theme?: (typeof THEMES)[number];
    signedIn?: boolean;
  } = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  if (signedIn) {
    const answer = await context.request.post("/api/auth/sign-in/email", { data: ADMIN, headers: { origin: url } });
    if (!answer.ok()) throw new Error(`The admin cannot sign in: ${await answer.text()}`);
  }
  return context;
}

/** Opens an address and waits until the page shows its data. Collects the errors that the browser reports in `errors`. */
export async function openPage(context: BrowserContext, path: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // The browser itself logs refused requests, which pages show in words.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  await page.goto(path);
  await isShown(page);
  return { page, errors };
}

/** Resolves when the page has a heading and nothing on it is loading. */
export async function isShown(page: Page): Promise<void> {
  await page.locator("h1, h2").first().waitFor();
  const loading = page.locator("[aria-label=Loading], [aria-busy=true]");
  for (const part of await loading.all()) await part.waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
