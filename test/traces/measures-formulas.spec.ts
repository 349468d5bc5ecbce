import { describe, expect, test } from "vitest";
import {
  agentSpeaks,
  agentTurn,
  answered,
  asked,
  child,
  measured,
  session,
  userSpeaks,
  userTurn,
  valuesOf,
} from "../support/measured.ts";
import { storedSpan } from "../support/stored-span.ts";

describe("response latency", () => {
  const latency = (...spans: Parameters<typeof measured>[0]) => measured([session(), ...spans]).response_latency;

  test("response latency is the platform's value, else the time between the two voices", () => {
    const reported = agentTurn("a", 2200, 5700, { "lk.e2e_latency": 0.65 });
    expect(latency(...asked, reported, answered[1]!)).toMatchObject({
      provenance: "provider_reported",
      samples: [{ value: 650, turnIndex: 1 }],
    });
    expect(latency(...asked, ...answered)).toMatchObject({ provenance: "measured", samples: [{ value: 700 }] });
  });

  test("response latency starts at the end of speech that the platform reports, because a voice detector notices the end late", () => {
    const stated = userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": 0.3 });
    expect(latency(stated, asked[1]!, ...answered)).toMatchObject({
      provenance: "provider_reported",
      samples: [{ value: 2700 - (2200 - 300) }],
    });
  });

  test("response latency ends at the agent's first audio after the user turn; greetings, silent turns and later turns do not count", () => {
    const greeting = [agentTurn("g", 100, 900), agentSpeaks("g", 200, 900)];
    const silent = agentTurn("silent", 2250, 2300);
    const more = [agentTurn("more", 5800, 7000), agentSpeaks("more", 6000, 7000)];
    expect(valuesOf(latency(...greeting, ...asked, silent, ...answered, ...more))).toEqual([700]);
    expect(valuesOf(latency(...greeting))).toBe("The agent answered no user turn with audio.");
  });

  test("response latency starts at the end of the user's last speech before the answer", () => {
    const stretches = [userSpeaks("u", 1000, 1400), userSpeaks("u", 1600, 2000), userSpeaks("u", 2800, 2900)];
    expect(valuesOf(latency(asked[0]!, ...stretches, ...answered))).toEqual([700]);
  });

  test("response latency belongs to the turn with audio, not to a turn whose text was never played", () => {
    const unheard = agentTurn("unheard", 2150, 2200, { "lk.pii.response.text": "One moment" });
    expect(latency(...asked, unheard, ...answered)).toMatchObject({
      missing: 0,
      samples: [{ value: 700, turnIndex: 2 }],
    });
  });

  test("response latency has no value when the agent starts before the user has stopped, which is counted", () => {
    const early = [agentTurn("a", 1500, 3000), agentSpeaks("a", 1800, 3000)];
    const reason = "The agent started each of its answers before the caller had ended.";
    expect(valuesOf(latency(...asked, ...early))).toBe(reason);
    expect(valuesOf(measured([session(), ...asked, ...early]).overlapped_answers)).toEqual([1]);
    expect(valuesOf(measured([session(), ...asked, ...answered]).overlapped_answers)).toEqual([0]);
  });

  test("response latency counts an answer with unknown latency as missing", () => {
    const typed = [agentTurn("b", 9000, 9900, { "lk.pii.user_input": "by keyboard" }), agentSpeaks("b", 9200, 9900)];
    expect(latency(...asked, ...answered, ...typed)).toMatchObject({ missing: 1, summary: { n: 1 } });
    expect(latency(userTurn("u", 1000, 2200), ...answered)).toMatchObject({ provenance: "unavailable", missing: 1 });
  });
});

test("the end-of-utterance delay is the last committed wait, else the turn's attribute, else the time between the spans", () => {
  const delay = (...spans: Parameters<typeof measured>[0]) =>
    valuesOf(measured([session(), asked[1]!, ...spans]).end_of_utterance_delay);
  const stated = userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": 0.21 });
  const wait = (outcome: string, startMs: number, seconds: number) =>
    child("eou_wait", "u", startMs, 2200, { "lk.eou.outcome": outcome, "lk.eou.wait_duration": seconds });
  expect(delay(stated, wait("user_resumed", 1300, 0.1), wait("committed", 2000, 0.19))).toEqual([190]);
  expect(delay(stated)).toEqual([210]);
  expect(delay(userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": 0 }))).toEqual([200]);
});

test("a delay that no attribute states is unknown and never 0, and a typed turn has no missing delay", () => {
  const stated = userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": 0.21 });
  const typed = agentTurn("b", 9000, 9900, { "lk.pii.user_input": "by keyboard" });
  const { end_of_utterance_delay, transcription_delay } = measured([session(), stated, asked[1]!, ...answered, typed]);
  expect(end_of_utterance_delay).toMatchObject({ missing: 0, summary: { n: 1 } });
  expect(transcription_delay).toMatchObject({ provenance: "unavailable", summary: { n: 0, sum: null } });
});

test("the unexplained latency subtracts the model call and the synthesis that led to the first audio", () => {
  const calls = [
    child("llm_node", "a", 2200, 2300, { "lk.response.ttft": 0.09 }),
    child("llm_node", "a", 2400, 2600, { "lk.response.ttft": 0.1 }),
    child("tts_node", "a", 2500, 2700, { "lk.response.ttfb": 0.15 }),
    child("llm_node", "a", 4000, 4600, { "lk.response.ttft": 0.5 }),
    child("tts_node", "a", 4500, 5000, { "lk.response.ttfb": 0.4 }),
  ];
  const whole = measured([session(), ...asked, ...answered, ...calls]);
  expect(valuesOf(whole.unexplained_latency)).toEqual([700 - 200 - 100 - 150]);
  const { unexplained_latency } = measured([session(), ...asked, ...answered, ...calls.slice(0, 2)]);
  const reason = "No turn has a value for each part of its latency.";
  expect(unexplained_latency).toMatchObject({ provenance: "unavailable", reason });
  const untimed = calls.map((call) => (call.name === "llm_node" ? { ...call, attributes: {} } : call));
  expect(valuesOf(measured([session(), ...asked, ...answered, ...untimed]).unexplained_latency)).toBe(reason);
});

test("the greeting latency is known when the agent speaks first and the session's start is known", () => {
  const greeting = [agentTurn("g", 100, 900), agentSpeaks("g", 250, 900)];
  expect(valuesOf(measured([session(), ...greeting, ...asked]).greeting_latency)).toEqual([250]);
  expect(valuesOf(measured([...greeting, ...asked]).greeting_latency)).toBe("The session's span has not arrived.");
  expect(valuesOf(measured([session(), ...asked, ...answered]).greeting_latency)).toBe(
    "The agent did not speak first.",
  );
});

test("the greeting latency is that of a greeting begun before the user speaks, even if its audio starts after the user's", () => {
  const greeting = [agentTurn("g", 10, 9_000), agentSpeaks("g", 7_300, 9_000)];
  const hello = [userTurn("u", 5_000, 6_600), userSpeaks("u", 5_000, 6_504)];
  const { greeting_latency, response_latency } = measured([session(), ...greeting, ...hello]);
  expect(valuesOf(greeting_latency)).toEqual([7_300]);
  expect(valuesOf(response_latency)).toBe("The agent answered no user turn with audio.");
});

describe("the text response time", () => {
  const simulated = (id: string, name: string, index: number, startMs: number, endMs: number, attributes = {}) =>
    storedSpan({
      id,
      name,
      parent: "simulation",
      scopeName: "svc.simulation",
      startMs,
      endMs,
      attributes: { "svc.turn.index": index, "svc.turn.text": id, ...attributes },
    });
  const message = simulated("hello", "caller_turn", 0, 100, 100);

  test("the text response time is the reported value, else the time from the message to the end of the first answer", () => {
    const answers = [
      simulated("hi", "agent_turn", 1, 100, 900, { "svc.turn.response_latency_ms": 795 }),
      simulated("again", "agent_turn", 2, 101, 1_400),
      simulated("book", "caller_turn", 3, 2_000, 2_000),
      simulated("done", "agent_turn", 4, 2_000, 2_650),
      simulated("bye", "caller_turn", 5, 3_000, 3_000),
    ];
    const { text_response_time, response_latency } = measured([message, ...answers]);
    expect(valuesOf(text_response_time)).toEqual([795, 650]);
    expect(text_response_time.samples.map(({ turnIndex }) => turnIndex)).toEqual([1, 4]);
    expect(valuesOf(response_latency)).toBe("The conversation was typed, not spoken.");
  });

  test("the text response time is unknown for spoken conversations, and for those whose spans do not show whether the user typed", () => {
    expect(valuesOf(measured([session(), ...asked, ...answered]).text_response_time)).toBe(
      "The conversation was spoken, not typed.",
    );
    const chat = storedSpan({ id: "c", scopeName: "app", attributes: { "gen_ai.operation.name": "chat" } });
    expect(valuesOf(measured([chat]).text_response_time)).toBe("The spans do not show whether the user typed.");
    const root = storedSpan({ id: "s", name: "simulation", scopeName: "svc.simulation" });
    expect(measured([chat, root]).text_response_time.reason).toBe("The agent answered no user turn.");
  });
});

describe("user interruptions", () => {
  const cut = (attributes: Record<string, unknown>, ...spans: Parameters<typeof measured>[0]) =>
    measured([session(), ...asked, agentTurn("a", 2200, 5700, attributes), answered[1]!, ...spans]);
  const cutIn = [userTurn("v", 5400, 6500), userSpeaks("v", 5400, 6200)];

  test("user interruptions are counted when the user's speech stops the agent, and the yield latency starts at the last speech that stopped it", () => {
    const nod = [userTurn("n", 3000, 3300), userSpeaks("n", 3000, 3200)];
    const { user_interruptions, yield_latency } = cut({ "lk.interrupted": true }, ...nod, ...cutIn);
    expect(valuesOf(user_interruptions)).toEqual([1]);
    expect(valuesOf(yield_latency)).toEqual([5700 - 5400]);
  });

  test("user interruptions are 0 when the program stopped the agent, when the user was silent, and when the agent went on speaking", () => {
    const program = { "lk.interrupted": true, "lk.interruption.source": "programmatic" };
    for (const { user_interruptions, yield_latency } of [
      cut(program, ...cutIn),
      cut({ "lk.interrupted": true }),
      cut({ "lk.interrupted": false }, ...cutIn),
    ]) {
      expect(valuesOf(user_interruptions)).toEqual([0]);
      expect(valuesOf(yield_latency)).toBe("The user did not interrupt the agent.");
    }
  });

  test("user interruptions are unknown when no attribute states whether the agent was interrupted", () => {
    const { user_interruptions } = cut({ "lk.interrupted": "perhaps" }, ...cutIn);
    expect(user_interruptions).toMatchObject({ provenance: "unavailable", samples: [] });
  });

  test("user interruptions are those that the framework states, if the spans do not show when the user spoke", () => {
    const { user_interruptions } = measured([session(), ...answered]);
    expect(user_interruptions).toMatchObject({ provenance: "provider_reported", samples: [{ value: 0 }] });
  });
});

test("an agent interruption is agent audio that starts after the start and before the end of the user's speech", () => {
  const count = (...starts: number[]) =>
    valuesOf(
      measured([
        session(),
        ...asked,
        ...starts.flatMap((at) => [agentTurn(`a${at}`, at, at + 50), agentSpeaks(`a${at}`, at, at + 50)]),
      ]).agent_interruptions,
    );
  expect(count(1400, 1900, 2100)).toEqual([2]);
  expect(count(1000, 2000)).toEqual([0]);
  const paused = measured([session(), ...asked, userSpeaks("u", 2100, 2200), ...answered]).agent_interruptions;
  expect(valuesOf(paused)).toEqual([0]);
});

describe("talk measures", () => {
  test("the overlap ratio and the talk ratio do not depend on how the speech is divided into spans", () => {
    const agent = [agentTurn("a", 1000, 3000), agentSpeaks("a", 1500, 3000)];
    const pieces = [userSpeaks("u", 1000, 1600), userSpeaks("u", 1400, 2000)];
    for (const user of [[asked[1]!], pieces]) {
      const { overlap_ratio, talk_ratio } = measured([session(), asked[0]!, ...user, ...agent]);
      expect([overlap_ratio, talk_ratio].map(valuesOf)).toEqual([[0.25], [0.6]]);
    }
  });

  test("the overlap ratio, the talk ratio and silence are unknown when one party has no speech", () => {
    const { overlap_ratio, talk_ratio, silence } = measured([session(), ...answered]);
    for (const measure of [overlap_ratio, talk_ratio, silence]) expect(measure.provenance).toBe("unavailable");
  });

  test("silences are the gaps of at least 3 s between the start of the session and the last word", () => {
    const later = [userTurn("v", 8699, 9200), userSpeaks("v", 8699, 9000)];
    const call = [...asked, ...answered, ...later];
    expect(valuesOf(measured([session(13_000), ...call]).silence)).toEqual([]);
    const late = call.map((span) => ({
      ...span,
      startNs: span.startNs + 5n * 10n ** 9n,
      endNs: span.endNs! + 5n * 10n ** 9n,
    }));
    expect(valuesOf(measured([session(13_000), ...late]).silence)).toEqual([6000]);
    expect(valuesOf(measured(call).silence)).toEqual([]);
    const { silence } = measured([...asked, ...answered, userTurn("v", 8700, 9200), userSpeaks("v", 8700, 9000)]);
    expect(valuesOf(silence)).toEqual([3000]);
  });

  test("a user turn is unanswered until the agent speaks, and the last turn is undecided while the call goes on", () => {
    const again = [userTurn("v", 7000, 8000), userSpeaks("v", 7000, 7900)];
    const last = [userTurn("w", 9000, 9500), userSpeaks("w", 9000, 9400)];
    const spans = [...asked, ...answered, ...again, ...last];
    expect(valuesOf(measured([session(10_000), ...spans]).unanswered_turns)).toEqual([0, 1, 1]);
    expect(measured([session(null), ...spans]).unanswered_turns).toMatchObject({
      missing: 1,
      summary: { n: 2, sum: 1 },
    });
  });

  test("audio or text answers a user turn, and a tool call alone does not", () => {
    const noText = { "lk.pii.response.text": undefined };
    const unanswered = (...answer: Parameters<typeof measured>[0]) =>
      valuesOf(measured([session(10_000), ...asked, ...answer]).unanswered_turns);
    expect(unanswered(agentTurn("a", 2200, 5700, noText), answered[1]!)).toEqual([0]);
    expect(unanswered(agentTurn("a", 2200, 5700))).toEqual([0]);
    expect(unanswered(agentTurn("a", 2200, 5700, noText), child("function_tool", "a", 2300, 2400))).toEqual([1]);
  });

  test("words per minute count the words of agent turns that ended without interruption, in any script", () => {
    const speed = (text: string | undefined, attributes = {}) =>
      valuesOf(
        measured([
          session(),
          ...asked,
          agentTurn("a", 2200, 5700, { "lk.pii.response.text": text, ...attributes }),
          answered[1]!,
        ]).words_per_minute,
      );
    expect(speed("It's sunny, and 21 degrees.")).toEqual([5 * 20]);
    expect(speed("今日は晴れです")).toEqual([4 * 20]);
    expect(speed("word ".repeat(10_000))).toBe("The spans do not show what the agent said.");
    expect(speed(undefined)).toBe("The spans do not show what the agent said.");
    expect(speed("Once upon a time", { "lk.interrupted": true })).toBe("The user heard no agent turn to its end.");
  });
});

test("user speech without a turn span belongs to the user turn during which it starts", () => {
  const loose = [userSpeaks("session", 1000, 2000), userSpeaks("session", 7000, 7100)];
  const { response_latency, agent_interruptions } = measured([session(), asked[0]!, ...loose, ...answered]);
  expect(valuesOf(response_latency)).toEqual([700]);
  expect(agent_interruptions.samples.map(({ turnIndex }) => turnIndex)).toEqual([0, null]);
});

test("a summary has the sum, mean, minimum and maximum of the samples, and no percentile below 5 samples", () => {
  const calls = [60, 10, 20].map((took, at) => child("function_tool", "a", 2300 + at, 2300 + at + took));
  const { summary } = measured([session(), ...asked, ...answered, ...calls]).tool_latency;
  expect(summary).toEqual({ n: 3, sum: 90, mean: 30, min: 10, max: 60, p50: null, p95: null });
});
