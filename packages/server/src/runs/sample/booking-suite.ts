import type { Operations } from "@svc/contract";
import type { z } from "zod";

type NewTest = z.output<Operations["tests"]["create"]["body"]>;

const FREE = { tool: "check_availability", answer: { free: true }, delay_ms: 0 };
const BOOKED = { tool: "book_room", answer: { code: "GH-4207" }, delay_ms: 0 };

export const AGENT_NAME = "Sample booking agent";
export const RUN_NAME = "Sample run";
/** The suite needs no language model: its callers say `Says:` lines, and code decides its behaviors. */
export const SUITE_NAME = "Booking by phone";

export const TESTS: NewTest[] = [
  {
    name: "Books a room",
    scenario: `Ana Silva calls to book a room for two nights from Friday.

Says: Hello, this is Ana Silva. I'd like to book a room for two nights from Friday.
Says: No, that's all. Thank you!`,
    expected_behaviors: [
      "calls book_room with nights=2, day=Friday, name=Ana Silva",
      "calls check_availability before book_room",
      "says /confirmation code is GH-4207/",
      "ends the call",
    ],
    mock_tools: [FREE, BOOKED],
  },
  {
    name: "Asks for missing details",
    scenario: `Ben Okoro wants a room and gives its details only when the agent asks.

Says: Hi, I need a room.
Says (when the agent asks /which day/): On Tuesday.
Says (when the agent asks /how many nights/): Three nights, please.
Says (when the agent asks /name/): My name is Ben Okoro.
Says (after /booked/): No, that's all.`,
    expected_behaviors: ["says /how many nights/i", "says /what name/i", "calls book_room once"],
    mock_tools: [FREE, BOOKED],
  },
  {
    name: "Cancels a booking",
    scenario: `Cleo Tan calls to cancel a booking.

Says: Good morning, I have to cancel a booking.
Says: No, that's all. Bye!
Facts: confirmation code = GH-1188`,
    expected_behaviors: ["calls cancel_booking with code=GH-1188", "never calls book_room", "repeats back GH-1188"],
    mock_tools: [{ tool: "cancel_booking", answer: { canceled: true }, delay_ms: 0 }, BOOKED],
  },
  {
    name: "Says when nothing is free",
    scenario: `The hotel is full on Saturday.

Says: This is Dee Marsh. I'd like to book a room for one night from Saturday.
Says: No, thank you. Bye!`,
    expected_behaviors: ["says /no room free/i", "never calls book_room", "finishes within 6 turns"],
    mock_tools: [{ tool: "check_availability", answer: { free: false }, delay_ms: 0 }, BOOKED],
  },
  {
    name: "Admits that the booking failed",
    scenario: `The booking system is down. The agent should not say that a room is booked.

Says: This is Eli Brandt. I'd like to book a room for two nights from Monday.
Says: No, that's all. Thank you!`,
    expected_behaviors: ["handles error of book_room", "never says /you are booked/i"],
    mock_tools: [FREE, { tool: "book_room", error: "503: the booking system is down", delay_ms: 0 }],
  },
];
