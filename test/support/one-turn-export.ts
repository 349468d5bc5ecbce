/** An OTLP/JSON export of one conversation with one turn of the agent. */
export const exportOf = (traceId: string, said: string, change: object = {}) => {
  const startNs = BigInt(Date.now() - 60_000) * 1_000_000n;
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const turn = {
    traceId,
    spanId: "00000000000000b1",
    name: "agent_turn",
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(startNs + 1_500_000_000n),
    attributes: [text("lk.response.text", said), text("lk.speech_id", "speech_1")],
    ...change,
  };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", "livekit-agents")] },
        scopeSpans: [{ scope: { name: "livekit-agents" }, spans: [turn] }],
      },
    ],
  });
};
