/**
 * Measures the pages in a Chromium: `npm run bench -- web --help`. Prints the size of the scripts of the first load, the first
 * contentful paint, the interaction to next paint, and the frame times while a long conversation and a long list scroll.
 */
import { gzipSync } from "node:zlib";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { isShown, newPage, openContext } from "../test/web/support/browsing.ts";
import { openChromium } from "../test/web/support/chromium.ts";
import { copyOf, templateOf } from "./copied-bodies.ts";
import { startServer } from "./start-server.ts";

type Options = { conversations: number; spans: number; loads: number; slowdown: number; pixels: number };

const options = new Command("web")
  .description("Measures the pages in a Chromium.")
  .option("--conversations <number>", "conversations in the list", Number, 100_000)
  .option("--spans <number>", "spans of the long conversation", Number, 5_000)
  .option("--loads <number>", "loads of the page; the median is printed", Number, 5)
  .option("--slowdown <factor>", "how much slower the processor is for loads and interactions", Number, 4)
  .option("--pixels <number>", "distance of each scroll", Number, 60_000)
  .parse()
  .opts<Options>();
const SPANS_PER_BODY = 500;
const CONVERSATIONS_PER_BODY = 50;
const SPANS_PER_CONVERSATION = 4;
const CONNECTIONS = 4;
const HOURS = 7 * 24;
/** Pixels per second, as fast as a person turns a mouse wheel. */
const SCROLL_SPEED = 6_000;
/** Fills a page with lines of text. */
const FILL = "document.body.innerText = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\\n')";

const { url, key, ask, close } = await startServer("pages-server.ts");
const client = createClient({ baseUrl: url, apiKey: key });
const traceId = await sendLongConversation();
await sendConversations();
await ask("drain");
const { organization } = await client.organization.get();
const { projects } = await client.projects.list();
const home = `/o/${organization.id}/p/${projects[0]!.slug}`;

const browser = await openChromium();
await printFirstLoad();
await printPaints();
await printInteractions();
await printScroll("a page of plain text, scrolled (what the machine can do)", "/sign-in", FILL);
await printScroll(`${options.spans} spans in one conversation, scrolled`, `${home}/conversations/${traceId}`);
await printScroll(`${options.conversations} conversations in a list, scrolled`, `${home}/conversations`);
await browser.close();
await close();

async function sendLongConversation(): Promise<string> {
  const whole = liveKitRequest(7, { spans: options.spans, conversations: 1, startMs: Date.now() - 3_600_000 });
  const [resource] = whole.resourceSpans!;
  const [scope] = resource!.scopeSpans!;
  const spans = scope!.spans!;
  for (let first = 0; first < spans.length; first += SPANS_PER_BODY) {
    const scopeSpans = [{ ...scope, spans: spans.slice(first, first + SPANS_PER_BODY) }];
    const body = encodeProtobuf({ resourceSpans: [{ ...resource, scopeSpans }] });
    await client.traces.ingest({ body, contentType: "application/x-protobuf" });
  }
  return spans[0]!.traceId!;
}

async function sendConversations(): Promise<void> {
  const bodies = Math.ceil(options.conversations / CONVERSATIONS_PER_BODY);
  const templates = Array.from({ length: Math.min(HOURS, bodies) }, (_, hour) =>
    templateOf(hour + 1, {
      spans: CONVERSATIONS_PER_BODY * SPANS_PER_CONVERSATION,
      conversations: CONVERSATIONS_PER_BODY,
      startMs: Date.now() - (hour + 2) * 3_600_000,
    }),
  );
  let sent = 0;
  const connection = async () => {
    while (sent < bodies) {
      const body = copyOf(templates[sent++ % templates.length]!);
      await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

/** Prints the size of the scripts that the overview loads before it requests data. */
async function printFirstLoad(): Promise<void> {
  const context = await openContext(browser, url);
  const { page } = await newPage(context);
  const scripts: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.body());
  });
  await page.goto(home);
  await isShown(page);
  const bodies = await Promise.all(scripts);
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
  print("script of the first load, gzip", `${(bytes / 1000).toFixed(1)} kB in ${bodies.length} files`);
  await context.close();
}

/** Prints the median time to the first contentful paint, without a cache and on a slowed-down processor. */
async function printPaints(): Promise<void> {
  for (const [name, path, signedIn] of [
    ["sign-in", "/sign-in", false],
    ["overview", home, true],
    ["conversations", `${home}/conversations`, true],
    ["long conversation", `${home}/conversations/${traceId}`, true],
  ] as const) {
    const paints: number[] = [];
    const shown: number[] = [];
    for (let load = 0; load < options.loads; load++) {
      const context = await openContext(browser, url, { signedIn });
      const { page } = await slowPage(context);
      const startedAt = performance.now();
      await page.goto(path);
      await isShown(page);
      shown.push(performance.now() - startedAt);
      paints.push(
        (await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")) as number,
      );
      await context.close();
    }
    print(
      `first contentful paint, ${name}`,
      `${ms(percentile(paints, 0.5))}; all data shown after ${ms(percentile(shown, 0.5))}`,
    );
  }
}

/** Prints the longest time from an interaction to the next paint, on a slowed-down processor. */
async function printInteractions(): Promise<void> {
  const context = await openContext(browser, url);
  const interactions: [name: string, path: string, act: (page: Page) => Promise<unknown>][] = [
    ["menu to conversations", home, (page) => page.getByRole("link", { name: "Conversations" }).first().click()],
    ["search in the list", `${home}/conversations`, (page) => page.getByRole("searchbox").pressSequentially("refund")],
    ["open a conversation", `${home}/conversations`, (page) => page.locator("tbody a").first().click()],
    ["turns of the long conversation", `${home}/conversations/${traceId}`, walkTurns],
    [
      "behaviors of a new test",
      `${home}/tests/new`,
      (page) => page.getByLabel("Behavior 1", { exact: true }).pressSequentially("calls book_room with nights=2"),
    ],
  ];
  for (const [name, path, act] of interactions) {
    const { page } = await slowPage(context);
    await page.addInitScript(`
      globalThis.interactions = [];
      new PerformanceObserver((list) => {
        for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) interactions.push(duration);
      }).observe({ type: "event", durationThreshold: 16, buffered: true });`);
    await page.goto(path);
    await isShown(page);
    await act(page);
    await isShown(page);
    const durations = (await page.evaluate("interactions")) as number[];
    print(
      `interaction to next paint, ${name}`,
      `${ms(Math.max(16, ...durations))} at most of ${durations.length} events`,
    );
    await page.close();
  }
  await context.close();
}

async function walkTurns(page: Page): Promise<void> {
  await page.getByRole("row").nth(3).click();
  for (let turn = 0; turn < 20; turn++) await page.keyboard.press("ArrowDown");
}

/** Prints the frame times while the page scrolls as fast as by a mouse wheel, on the machine's full processor speed. */
async function printScroll(name: string, path: string, prepare = ""): Promise<void> {
  const context = await openContext(browser, url);
  const { page } = await newPage(context);
  await page.goto(path);
  await isShown(page);
  await page.evaluate(prepare);
  const session = await context.newCDPSession(page);
  await page.evaluate(`(() => {
    globalThis.frames = [];
    let last = performance.now();
    const frame = (now) => { frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  })()`);
  await session.send("Input.synthesizeScrollGesture", {
    x: 500,
    y: 500,
    yDistance: -options.pixels,
    speed: SCROLL_SPEED,
    gestureSourceType: "mouse",
  });
  const frames = ((await page.evaluate("frames")) as number[]).slice(2);
  const scrolled = (await page.evaluate("scrollY")) as number;
  print(
    name,
    `p50 ${ms(percentile(frames, 0.5))}, p95 ${ms(percentile(frames, 0.95))}, longest ${ms(Math.max(...frames))} of ${frames.length} frames over ${Math.round(scrolled)} px`,
  );
  await context.close();
}

/** Opens an empty page with a slowed-down processor. */
async function slowPage(context: BrowserContext): Promise<{ page: Page; session: CDPSession }> {
  const { page } = await newPage(context);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: options.slowdown });
  return { page, session };
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function print(label: string, figures: string): void {
  console.log(`${label.padEnd(60)} ${figures}`);
}
