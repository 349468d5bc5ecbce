import { context, type Link, ProxyTracerProvider, SpanStatusCode, type Span, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { beforeAll, expect, test } from "vitest";
import { createJoinedProvider, createSharedIds } from "../../packages/worker-helper/src/joined-provider.ts";

beforeAll(() => new NodeTracerProvider().register());

function recordingProvider(options: object = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)], ...options });
  return { provider, spans: () => exporter.getFinishedSpans() };
}

function joinedTo(theirs: { getTracer: NodeTracerProvider["getTracer"] }) {
  const ids = createSharedIds();
  const ours = recordingProvider({ idGenerator: ids, sampler: new AlwaysOnSampler() });
  return { tracer: createJoinedProvider(theirs, ours.provider, ids).getTracer("livekit-agents", "1"), ours };
}

/** Records a session span with a turn span and a tool span below it. */
function record(tracer: ReturnType<typeof joinedTo>["tracer"]): void {
  tracer.startActiveSpan("session", (session) => {
    tracer.startActiveSpan("turn", { attributes: { turn: 1 } }, (turn) => {
      tracer.startActiveSpan("tool", {}, trace.setSpan(context.active(), turn), (tool) => tool.end());
      turn.end();
    });
    session.end();
  });
}

const parentsOf = (spans: readonly ReadableSpan[]) => {
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext }) => [name, parentSpanContext && nameOf.get(parentSpanContext.spanId)]);
};
const idsOf = (spans: readonly ReadableSpan[]) =>
  spans.map((span) => [span.spanContext().traceId, span.spanContext().spanId]);
const TREE = [
  ["tool", "turn"],
  ["turn", "session"],
  ["session", undefined],
];

test("both providers get the same tree of spans with the same ids", () => {
  const theirs = recordingProvider();
  const { tracer, ours } = joinedTo(theirs.provider);
  record(tracer);
  expect(parentsOf(ours.spans())).toEqual(TREE);
  expect(parentsOf(theirs.spans())).toEqual(TREE);
  expect(idsOf(ours.spans())).toEqual(idsOf(theirs.spans()));
});

test.each([
  ["records nothing", new ProxyTracerProvider()],
  ["samples nothing", recordingProvider({ sampler: new AlwaysOffSampler() }).provider],
])("our provider gets the whole tree from a joined provider whose other provider %s", (_name, theirs) => {
  const { tracer, ours } = joinedTo(theirs);
  record(tracer);
  expect(parentsOf(ours.spans())).toEqual(TREE);
  expect(new Set(idsOf(ours.spans()).map(([, spanId]) => spanId)).size).toBe(3);
  expect(new Set(idsOf(ours.spans()).map(([traceId]) => traceId)).size).toBe(1);
});

test("a span whose parent only the other provider has is a root in our provider, with the same trace id", () => {
  const theirs = recordingProvider();
  const { tracer, ours } = joinedTo(theirs.provider);
  theirs.provider.getTracer("worker").startActiveSpan("job", (job) => {
    record(tracer);
    job.end();
  });
  expect(parentsOf(ours.spans())).toEqual(TREE);
  expect(parentsOf(theirs.spans())).toEqual([
    ["tool", "turn"],
    ["turn", "session"],
    ["session", "job"],
    ["job", undefined],
  ]);
  expect(new Set(idsOf([...ours.spans(), ...theirs.spans()]).map(([traceId]) => traceId)).size).toBe(1);
});

test("every change of a joined span applies to both spans", () => {
  const theirs = recordingProvider();
  const { tracer, ours } = joinedTo(theirs.provider);
  const link: Link = { context: { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 } };
  // A smaller number would count as the time since the start of the process.
  const startTime = Date.UTC(2026, 0, 1);
  const span: Span = tracer.startSpan("first", { startTime, attributes: { at: "start" } });
  expect(span.isRecording()).toBe(true);
  span
    .setAttribute("one", 1)
    .setAttributes({ two: 2 })
    .addEvent("event", { e: 1 }, startTime + 500)
    .addLink(link)
    .addLinks([link]);
  span
    .setStatus({ code: SpanStatusCode.ERROR, message: "failed" })
    .updateName("last")
    .recordException(new Error("bad"), startTime + 600);
  span.end(startTime + 1_000);
  const seen = (spans: readonly ReadableSpan[]) =>
    spans.map(({ name, attributes, events, links, status, startTime, endTime }) => ({
      name,
      attributes,
      events,
      links,
      status,
      startTime,
      endTime,
    }));
  expect(seen(ours.spans())).toEqual(seen(theirs.spans()));
  expect(ours.spans()[0]).toMatchObject({
    name: "last",
    attributes: { at: "start", one: 1, two: 2 },
    status: { code: SpanStatusCode.ERROR, message: "failed" },
    events: [{ name: "event" }, { name: "exception" }],
    links: [link, link],
  });
});
