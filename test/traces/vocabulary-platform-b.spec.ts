import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { storedSpan } from "../support/stored-span.ts";
import { session, span, agentTurn, tool, callOf } from "../support/platform-b-spans.ts";

describe("tool calls", () => {
  const turn = agentTurn("turn", 0, {});

  test("tool calls have parsed JSON as arguments and result, and the text if it is not JSON", () => {
    const call = (input: unknown, result: unknown) =>
      callOf(turn, tool("t", "turn", 1, { "lk.function_tool.arguments": input, "lk.function_tool.output": result }));
    expect(call('{"day":"Tuesday"}', '"booked"')).toMatchObject({ arguments: { day: "Tuesday" }, result: "booked" });
    expect(call("day=Tuesday", "slot is taken")).toMatchObject({ arguments: "day=Tuesday", result: "slot is taken" });
    expect(call({ day: 2 }, "")).toMatchObject({ arguments: { day: 2 }, result: "" });
    expect(call(undefined, "null")).toMatchObject({ arguments: null, result: "null" });
  });

  test("tool calls keep a result as text if JavaScript cannot represent its numbers exactly", () => {
    const call = (result: string) => callOf(turn, tool("t", "turn", 1, { "lk.function_tool.output": result })).result;
    expect(call('{"order":12345678901234567890}')).toBe('{"order":12345678901234567890}');
    expect(call('{"order":1234567890,"price":1.5}')).toEqual({ order: 1234567890, price: 1.5 });
    expect(call("1e999")).toBe("1e999");
  });

  test("tool calls can have the GenAI names", () => {
    const attributes = {
      "gen_ai.tool.name": "cancel",
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.call.arguments": '{"id":7}',
      "gen_ai.tool.call.result": "done",
    };
    const span = storedSpan({ id: "t", name: "function_tool", parent: "turn", attributes });
    expect(callOf(turn, span)).toMatchObject({ id: "call_1", name: "cancel", arguments: { id: 7 }, result: "done" });
  });

  test("values missing from a tool call's span come from the model's request, in either spelling", () => {
    const requests = [
      { callId: "call_0", name: "other", args: "{}" },
      { callId: "call_1", name: "book", args: '{"day":"Monday"}' },
      { call_id: "call_2", name: "book", arguments: '{"day":"Tuesday"}' },
    ];
    const llm = span(
      "llm_node",
      "llm",
      0,
      1,
      { "lk.response.function_calls": JSON.stringify(requests) },
      { parent: "turn" },
    );
    const tuesday = tool("t1", "turn", 1, { "lk.function_tool.arguments": '{"day":"Tuesday"}' });
    const unknown = tool("t2", "turn", 2, {});
    const { toolCalls } = conversationOf([turn, llm, tuesday, unknown]);
    expect(toolCalls.map((call) => [call.id, call.arguments])).toEqual([
      ["call_2", { day: "Tuesday" }],
      ["call_1", { day: "Monday" }],
    ]);
  });

  test("tool calls have an unknown outcome unless an attribute or the status of the span states it", () => {
    const failed = (attributes: Record<string, unknown>, status: StoredSpan["status"] = "unset") =>
      callOf(turn, { ...tool("t", "turn", 1, attributes), status }).isError;
    expect(failed({ "lk.function_tool.is_error": "true" })).toBe(true);
    expect(failed({ "lk.function_tool.is_error": false })).toBe(false);
    expect(failed({ "error.type": "tool_error" })).toBe(true);
    expect(failed({}, "error")).toBe(true);
    expect(failed({})).toBeNull();
  });

  test("tool calls have no turn while their speech has not arrived", () => {
    expect(callOf(session, tool("t", "unknown", 1, {}))).toMatchObject({ name: "book", turnIndex: null });
  });
});

test("the generation depends on the names in the spans, and is unknown when they have no content", () => {
  const generation = (name: string, attributes: Record<string, unknown>) =>
    conversationOf([storedSpan({ id: "a", name, attributes })]).generation;
  expect(generation("agent_turn", { "lk.user_input": "Hi" })).toBe("G1");
  expect(generation("agent_turn", { "lk.pii.user_input": "Hi" })).toBe("G2");
  expect(generation("agent_turn", { "lk.pii.user_input": "Hi", "gen_ai.operation.name": "invoke_agent" })).toBe("G3");
  expect(generation("llm_request", { "gen_ai.operation.name": "chat" })).toBeNull();
});

describe("what the framework reports about a call", () => {
  const reportOf = (attributes: Record<string, unknown>, ...others: StoredSpan[]) =>
    conversationOf([storedSpan({ id: "session", name: "agent_session", endMs: 60_000, attributes }), ...others])
      .callReport;
  const sip = {
    "lk.sip.callID": "SCL_1",
    "lk.sip.callStatus": "active",
    "lk.sip.trunkPhoneNumber": "+14155550100",
    "lk.pii.sip.phoneNumber": "+4915112345678",
  };

  test("a call by telephone that a dispatch rule took was placed by the user, and any other by the agent", () => {
    expect(reportOf({ ...sip, "lk.sip.ruleID": "SDR_1" })).toMatchObject({
      callType: "sip",
      direction: "inbound",
      fromNumber: "+4915112345678",
      toNumber: "+14155550100",
      verdicts: [],
      latencies: [],
    });
    expect(reportOf({ ...sip, "lk.sip.ruleID": "" })).toMatchObject({
      direction: "outbound",
      fromNumber: "+14155550100",
      toNumber: "+4915112345678",
    });
  });

  test("a number that the sender withheld is unknown, and the state at the start of a call is not its end", () => {
    const { "lk.pii.sip.phoneNumber": _, ...withheld } = sip;
    expect(reportOf({ ...withheld, "lk.sip.ruleID": "SDR_1" })).toMatchObject({
      fromNumber: null,
      toNumber: "+14155550100",
      status: null,
      ending: null,
    });
  });

  test("an answering machine is reported with the reason and with what was said to the agent", () => {
    const detection = span("amd", "amd", 100, 4_000, {
      "lk.amd.category": "machine-vm",
      "lk.amd.reason": "long greeting",
      "lk.amd.delay": 0.4,
      "lk.pii.amd.transcript": "Please leave a message.",
    });
    expect(reportOf({}, detection)).toMatchObject({
      callType: null,
      verdicts: [
        { name: "amd.category", value: "machine-vm" },
        { name: "amd.reason", value: "long greeting" },
        { name: "amd.transcript", value: "Please leave a message." },
      ],
    });
  });

  test("the time until a worker took the job is reported by stage, and a stage without a time is left out", () => {
    const job = span("job_entrypoint", "job", 0, 60_000, {
      "lk.job.accept_latency": 0.012,
      "lk.job.launch_latency": "broken",
      "lk.job.dispatch_latency": 1.25,
    });
    const stages = reportOf({}, job)!.latencies.map(({ component, n, p50 }) => [component, n, p50]);
    expect(stages).toEqual([
      ["accept", 1, 12],
      ["dispatch", 1, 1250],
    ]);
  });

  test("a session that reports none of this has no report", () => expect(reportOf({})).toBeUndefined());
});
