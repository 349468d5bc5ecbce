import type { Input, Operations } from "@svc/contract";

type NewTest = Input<Operations["tests"]["create"]>;

const FREE = { tool: "check_availability", answer: { free: true } };
const BOOKED = { tool: "book_room", answer: { code: "GH-4207" } };

/** The suite of the demo. Its callers are scripted and code decides its behaviors, so it needs no language model. */
export const SUITE_NAME = "Booking by phone";

export const TESTS: NewTest[] = [
  {
    name: "Books a room",
    scenario: `Ana Silva calls to book a room for two nights from Friday.

Caller says:
- Hello, this is Ana Silva. I'd like to book a room for two nights from Friday.
- No, that's all. Thank you!`,
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

Caller says:
- Hi, I need a room.
- (wait for: /which day/i) On Tuesday.
- (wait for: /how many nights/i) Three nights, please.
- (wait for: /name/i) My name is Ben Okoro.
- No, that's all.`,
    expected_behaviors: ["asks for number of nights", "asks for name", "calls book_room once"],
    mock_tools: [FREE, BOOKED],
  },
  {
    name: "Cancels a booking",
    scenario: `Cleo Tan calls to cancel a booking.

Caller says:
- Good morning, I have to cancel a booking.
- (wait for: /code/i) It is GH-1188.
- No, that's all. Bye!`,
    expected_behaviors: ["calls cancel_booking with code=GH-1188", "never calls book_room", "repeats back GH-1188"],
    mock_tools: [{ tool: "cancel_booking", answer: { canceled: true } }, BOOKED],
  },
  {
    name: "Says when nothing is free",
    scenario: `The hotel is full on Saturday.

Caller says:
- This is Dee Marsh. I'd like to book a room for one night from Saturday.
- No, thank you. Bye!`,
    expected_behaviors: ["says /no room free/i", "never calls book_room", "finishes within 6 turns"],
    mock_tools: [{ tool: "check_availability", answer: { free: false } }, BOOKED],
  },
  {
    name: "Admits that the booking failed",
    scenario: `The booking system is down. The agent should not say that a room is booked.

Caller says:
- This is Eli Brandt. I'd like to book a room for two nights from Monday.
- No, that's all. Thank you!`,
    expected_behaviors: ["handles error of book_room", "never says /you are booked/i"],
    mock_tools: [FREE, { tool: "book_room", error: "503: the booking system is down" }],
  },
];
