import type { Client } from "@svc/sdk";

type NewTest = Parameters<Client["tests"]["create"]>[0];

export const VOICE_SUITE = "Booking by voice";

/** The tests of the voice demo. Code decides them from the sound and the course of the call, so they need no key. */
export const VOICE_TESTS: Omit<NewTest, "suite">[] = [
  {
    name: "Books a room",
    scenario: `Ana Silva calls to book a room.

Says: Hello, this is Ana Silva. I would like to book a room.
Says: On Friday, please.
Says: No, that's all. Thank you!`,
    expected_behaviors: ["ends the call", "finishes within 8 turns"],
    personas: ["calm"],
  },
  {
    name: "Stops when the caller interrupts",
    scenario: `Ben Okoro is in a hurry and talks over the agent as soon as he has heard enough.

Says: Hi, I need a room for Friday.
Says: Yes, yes, fine. Please just book it now.`,
    expected_behaviors: ["stops within 500 ms when interrupted"],
    personas: ["interrupting"],
  },
  {
    name: "Answers without a long pause",
    scenario: `Cleo Tan asks for the price of a room. A caller hears the pause before each answer, which no trace of the agent shows.

Says: Good morning. How much is a double room?`,
    expected_behaviors: ["responds within 1500 ms as heard"],
    personas: ["calm"],
  },
];
