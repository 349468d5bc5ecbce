import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { until } from "../../support/until.ts";
import { ADMIN } from "./seed.ts";

export const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
export const THEMES = ["light", "dark"] as const;
/** Longer than any wait on a busy machine. */
const WAIT_MS = 90_000;

/** Opens a browser context for one person. It has the session of the admin unless `signedIn` is false. */
export async function openContext(
  browser: Browser,
  url: string,
  {
    size = "wide",
    theme = "light",
    signedIn = true,
    hasTouch = false,
  }: {
    size?: keyof typeof SIZES;
    theme?: (typeof THEMES)[number];
    signedIn?: boolean;
    /** Whether the pointer is a finger. */
    hasTouch?: boolean;
  } = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZES[size],
    hasTouch,
    isMobile: hasTouch,
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  context.setDefaultTimeout(WAIT_MS);
  if (signedIn) await signIn(context, url, ADMIN);
  return context;
}

/** Puts the session of a person into a context. */
export async function signIn(
  context: BrowserContext,
  url: string,
  person: { email: string; password: string },
): Promise<void> {
  const { email, password } = person;
  const answer = await context.request.post("/api/auth/sign-in/email", {
    data: { email, password },
    headers: { origin: url },
  });
  if (!answer.ok()) throw new Error(`${email} cannot sign in: ${await answer.text()}`);
}

/** A page, and the errors that the browser reports about the page. */
type OpenPage = { page: Page; errors: string[] };

/** Opens an address and waits until the page shows its data. */
export async function openPage(context: BrowserContext, path: string): Promise<OpenPage> {
  const opened = await newPage(context);
  await opened.page.goto(path);
  await isShown(opened.page);
  return opened;
}

/** Opens an empty page, and collects the errors that the browser reports and the requests to other hosts. */
export async function newPage(context: BrowserContext): Promise<OpenPage> {
  const page = await context.newPage();
  const errors: string[] = [];
  let origin: string | undefined;
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // The browser logs every refused request; the page itself shows the refusal in words.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  page.on("request", (request) => {
    const address = new URL(request.url());
    origin ??= address.origin;
    if (address.origin !== origin && !["data:", "blob:"].includes(address.protocol))
      errors.push(`a request leaves the origin: ${request.url()}`);
    if (isQuestion(request)) open(page).add(request);
  });
  const ended = (request: Request) => void open(page).delete(request);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  return { page, errors };
}

const openRequests = new WeakMap<Page, Set<Request>>();

function open(page: Page): Set<Request> {
  if (!openRequests.has(page)) openRequests.set(page, new Set());
  return openRequests.get(page)!;
}

/** Returns whether the page waits for an answer to this request. A stream stays open as long as the page. */
const isQuestion = (request: Request): boolean =>
  ["fetch", "xhr", "script"].includes(request.resourceType()) &&
  !/\/(events|changes)$/.test(new URL(request.url()).pathname);

/** Resolves when the page has a heading, every request has an answer, and nothing is loading. Throws when this takes too long. */
export async function isShown(page: Page): Promise<void> {
  await page.locator("h1, h2").first().waitFor();
  const loading = page.locator("[aria-label=Loading], [aria-busy=true]");
  await until(
    () => `${page.url()} loads ${[...open(page)].map((request) => request.url()).join(" ") || "without a request"}`,
    async () => {
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))");
      return open(page).size === 0 && (await loading.count()) === 0;
    },
  );
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
