/** A persona with every trait and some models. */
export const FULL_PERSONA = {
  traits: {
    personality: "Calls from the road.",
    language: "pt-BR",
    accent: "brazilian",
    emotion: "anxious",
    pace: "fast",
    backgroundNoise: { kind: "car", level: "high" },
    interruptionStyle: "often",
    patience: "low",
    confirmationStyle: "repeats",
    disfluency: "some",
  },
  models: { llm: "small-model", speed: 1.2, volume: 0.8 },
};
