import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentVersionOf, versionOf } from "../../packages/server/src/traces/conversation/agent-version.ts";
import { conversationOf, isRecognisedBy } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";

type Parts = { at?: number; attributes?: Record<string, unknown>; resource?: Record<string, unknown>; name?: string };
const span = ({ at = 0, ...parts }: Parts): StoredSpan => storedSpan({ id: String(at), startMs: at, ...parts });

const isAgents = ({ name }: StoredSpan) => name === "agent_turn";
const read = (spans: Parts[], attribute: string | null = null) => agentVersionOf(spans.map(span), attribute, isAgents);

describe("the version of an agent", () => {
  test.each<[string, Parts[], string | null]>([
    ["no attribute at all", [{}], null],
    ["the version of the service", [{ resource: { "service.version": "41" } }], "41"],
    ["not the version of a service that a span names", [{ attributes: { "service.version": "41" } }], null],
    ["not the version of a library", [{ resource: { "telemetry.sdk.version": "2.12.1" } }], null],
    ["svc.agent_version of the resource", [{ resource: { "svc.agent_version": "42", "service.version": "41" } }], "42"],
    [
      "svc.agent_version of a span",
      [{ attributes: { "svc.agent_version": "42" }, resource: { "service.version": "41" } }],
      "42",
    ],
    [
      "gen_ai.agent.version",
      [{ attributes: { "gen_ai.agent.version": "1.2" }, resource: { "service.version": "41" } }],
      "1.2",
    ],
    [
      "lk.agent.version before the version of the service",
      [{ attributes: { "lk.agent.version": "v_7" }, resource: { "service.version": "41" } }],
      "v_7",
    ],
    [
      "svc.agent_version before lk.agent.version",
      [{ attributes: { "lk.agent.version": "v_7", "svc.agent_version": "42" } }],
      "42",
    ],
    [
      "svc.agent_version before gen_ai.agent.version",
      [{ attributes: { "gen_ai.agent.version": "1", "svc.agent_version": "2" } }],
      "2",
    ],
    ["the number of Retell", [{ attributes: { "platform_a.agent_version": 7 } }], "7"],
    ["the number of Retell 0", [{ attributes: { "platform_a.agent_version": 0 } }], "0"],
    [
      "a stronger attribute of a later span",
      [
        { at: 1, resource: { "service.version": "1" } },
        { at: 2, attributes: { "svc.agent_version": "2" } },
      ],
      "2",
    ],
    [
      "the earliest of several",
      [
        { at: 2, attributes: { "svc.agent_version": "2" } },
        { at: 1, attributes: { "svc.agent_version": "1" } },
      ],
      "1",
    ],
    [
      "the service of the agent beside one that begins earlier",
      [
        { at: 1, resource: { "service.version": "gateway 9" } },
        { at: 2, name: "agent_turn", resource: { "service.version": "41" } },
      ],
      "41",
    ],
    [
      "the earlier of two services of which none is an agent",
      [
        { at: 2, resource: { "service.version": "b" } },
        { at: 1, resource: { "service.version": "c" } },
      ],
      "c",
    ],
    [
      "the first by its text at the same time",
      [{ resource: { "service.version": "b" } }, { resource: { "service.version": "a" } }],
      "a",
    ],
    [
      "a word for unknown, then a known one",
      [{ attributes: { "svc.agent_version": "unknown" }, resource: { "service.version": "41" } }],
      "41",
    ],
  ])("%s", (_, spans, version) => {
    expect(read(spans)).toBe(version);
    expect(read(spans.toReversed())).toBe(version);
  });

  test("the attribute that the project names comes first, of a span or of its resource", () => {
    const others = { "svc.agent_version": "2", "service.version": "3" };
    expect(read([{ attributes: { deployment: "blue" }, resource: others }], "deployment")).toBe("blue");
    expect(read([{ resource: { ...others, deployment: "green" } }], "deployment")).toBe("green");
    expect(read([{ resource: others }], "deployment")).toBe("2");
    expect(read([{ resource: { ...others, deployment: "none" } }], "deployment")).toBe("2");
    expect(read([{ resource: others }], "__proto__")).toBe("2");
    expect(read([{ resource: others }], "constructor")).toBe("2");
  });

  test.each<[unknown, string | null]>([
    ["  v1.2  ", "v1.2"],
    [41, "41"],
    [1.5, "1.5"],
    ["", null],
    ["   ", null],
    ["\u0000\u200b\u202e", null],
    ["4\u00001\u202e", "41"],
    ["1\n2", "12"],
    ["Unknown", null],
    ["NULL", null],
    ["undefined", null],
    ["None", null],
    ["n/a", null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [true, null],
    [null, null],
    [undefined, null],
    [["41"], null],
    [{ version: 41 }, null],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["x".repeat(500), "x".repeat(128)],
    [`${"x".repeat(127)}😀`, "x".repeat(127)],
    ["\ud800", null],
  ])("the value %j is the version %j", (value, version) => {
    expect(versionOf(value)).toBe(version);
  });

  test("a number of 64 bits is a version", () => {
    expect(versionOf(2n ** 60n)).toBe("1152921504606846976");
  });

  test("any text gives a version that is null, or visible, well formed, trimmed and short", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (text) => {
        const version = versionOf(text);
        if (version === null) return;
        expect(version.isWellFormed()).toBe(true);
        expect(version).toBe(version.trim());
        expect(version.length).toBeGreaterThan(0);
        expect(version.length).toBeLessThanOrEqual(128);
        expect(version).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(versionOf(version)).toBe(version);
      }),
    );
  });

  test("recorded payloads of workers and frameworks name no version: the version of their SDK is none", () => {
    const versions = captureSets().map((set) => {
      const spans = spansOfCapture(set);
      return agentVersionOf(spans, null, isRecognisedBy(conversationOf(spans).vocabulary));
    });
    expect(versions.length).toBeGreaterThan(20);
    expect(versions.filter((version) => version !== null)).toEqual([]);
  });

  test("a recorded call of a worker whose resource has a version has it, also beside a service with another one", () => {
    const spans = spansOfCapture("py-1.8.9-voice");
    const released = spans.map((one) => ({ ...one, resource: { ...one.resource, "service.version": "2026.11.3" } }));
    const gateway = span({ resource: { "service.version": "7" } });
    const all = [{ ...gateway, startNs: 1n, scopeName: "gateway" }, ...released];
    expect(agentVersionOf(all, null, isRecognisedBy(conversationOf(all).vocabulary))).toBe("2026.11.3");
  });
});
