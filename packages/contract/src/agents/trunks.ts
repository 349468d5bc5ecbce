import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, expectedRevision, revision } from "../core/numbers.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { nameText, VISIBLE_ASCII } from "../core/texts.ts";
import { allowedNumberProblem } from "./phone-number.ts";
import { trunkAddressProblem } from "./sip-uri.ts";

/** Returns the schema of a text for which `problemOf` returns no problem. */
const textWithout = (problemOf: (text: string) => string | undefined, description: string, example: string) =>
  z
    .string()
    .trim()
    .superRefine((text, context) => {
      const message = problemOf(text);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .meta({ description, example });

const CALLER_ID = /^(?:\+[1-9]\d{6,14}|\d{2,15})$/;

const address = textWithout(
  trunkAddressProblem,
  "Host of the trunk, with its port unless that is 5060 (5061 for TLS). The service calls it over UDP, or over TCP or TLS when the address ends with `;transport=tcp` or `;transport=tls`.",
  "sip.example.com:5060",
);
const callerId = textWithout(
  (text) => (CALLER_ID.test(text) ? undefined : "Write a number in E.164, or an extension of 2 to 15 digits."),
  "Number that the agent sees as the caller: a number in E.164 that the trunk permits, or an extension.",
  "+493012345678",
);
const allowedNumbers = z
  .array(textWithout(allowedNumberProblem, "A number in E.164, or the beginning of numbers and `*`.", "+4930*"))
  .max(LIMITS.allowedNumbers)
  .meta({
    description:
      "Numbers that the service may call over the trunk: a number in E.164, or the beginning of numbers and `*`, such as `+4930*`. Empty: none. Emergency and premium numbers are never called.",
  });
const maxCallSeconds = z.int().min(LIMITS.callSecondsMin).max(LIMITS.callSecondsMax).meta({
  description: "Longest call in seconds, from the answer on. The service then ends the call.",
});
const callsPerMinute = z.int().min(1).max(LIMITS.callsPerMinuteMax).meta({
  description: "Most calls in any 60 seconds. Further simulations stay in the queue; a try is refused.",
});
const callsPerDay = z.int().min(1).max(LIMITS.callsPerDayMax).meta({
  description: "Most calls in any 24 hours. Further simulations end as `call_not_placed`.",
});

const secretText = (min: number, description: string) =>
  z
    .string()
    .trim()
    .min(min)
    .max(LIMITS.credentialCharactersMax)
    .refine((text) => VISIBLE_ASCII.test(text), "Use only visible ASCII characters, without spaces.")
    .meta({ description });

const credential = z
  .strictObject({
    user: secretText(1, "User name that answers the trunk's challenge."),
    password: secretText(LIMITS.credentialCharactersMin, "Password of the user."),
  })
  .meta({ description: "The service seals it and never returns it." });

/** Telephone carrier or exchange that carries a project's calls to telephone numbers, with the limits of these calls. */
export const Trunk = z
  .strictObject({
    id: id("trk"),
    projectId: id("prj"),
    name: z.string(),
    address: z.string(),
    callerId: z.string(),
    credentialPresent: z.boolean(),
    credentialsHint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of the password; null without a credential." }),
    allowedNumbers: z.array(z.string()),
    maxCallSeconds: z.int(),
    callsPerMinute: z.int(),
    callsPerDay: z.int(),
    callsInLastDay: count("Calls that the service placed in the last 24 hours."),
    revision,
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Trunk" });
export type Trunk = z.infer<typeof Trunk>;

const name = nameText().meta({ description: "Unique in the project." });

const all = {
  tag: "Trunks",
  path: "/v1/trunks",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ trunk: Trunk }),
} as const;
const one = {
  ...all,
  path: "/v1/trunks/{trunkId}",
  resource: "trunk",
  params: z.strictObject({ trunkId: idInput("trk") }),
} as const;

/** Trunks of a project. Connections of the type `phone_number` are called over them. */
export const trunks = {
  /** Lists the project's trunks, newest first. */
  list: listOperation({ ...all, summary: "List trunks", items: { trunks: Trunk } }),

  /**
   * Creates a trunk. Without `allowedNumbers`, the service calls no number over it.
   *
   * Answers 409 `name_taken` when a trunk of the project has the name. Answers 422 when the project already has
   * `LIMITS.trunks` trunks.
   */
  create: createOperation({
    ...all,
    summary: "Create a trunk",
    description: `The service calls only numbers in \`allowedNumbers\`, so a new trunk without them calls nobody. A project has at most ${LIMITS.trunks} trunks.`,
    body: z.strictObject({
      name,
      address,
      callerId,
      credential: credential.optional(),
      allowedNumbers: allowedNumbers.default([]),
      maxCallSeconds: maxCallSeconds.default(300),
      callsPerMinute: callsPerMinute.default(10),
      callsPerDay: callsPerDay.default(100),
    }),
    errors: ["name_taken"],
  }),

  /** Returns a trunk. */
  get: getOperation({ ...one, summary: "Show a trunk" }),

  /**
   * Changes the given fields of a trunk. Runs that are in progress use the new values too. `allowedNumbers` and `credential` each
   * replace the whole former value; `credential: null` removes the credential. Another `address` needs the `credential` of a trunk
   * that has one.
   *
   * Answers 422 when the credential is needed and missing. Answers 409 `version_conflict` when `expectedRevision` is not the
   * current revision; `details` then contains `expectedRevision`, `currentRevision` and the `current` trunk.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a trunk",
    description:
      "Changes the given fields. Runs that are in progress use the new values too. `allowedNumbers` and `credential` each replace the whole former value; `credential: null` removes the credential. Another `address` needs the `credential` of a trunk that has one (422), so that nobody sends a stored password elsewhere.",
    body: z.strictObject({
      name: name.optional(),
      address: address.optional(),
      callerId: callerId.optional(),
      credential: credential.nullable().optional(),
      allowedNumbers: allowedNumbers.optional(),
      maxCallSeconds: maxCallSeconds.optional(),
      callsPerMinute: callsPerMinute.optional(),
      callsPerDay: callsPerDay.optional(),
      expectedRevision,
    }),
    errors: ["name_taken", "version_conflict"],
  }),

  /** Deletes a trunk with its credential. Connections that name it stay, and cannot be called until they name another trunk. */
  delete: deleteOperation({
    ...one,
    summary: "Delete a trunk",
    description: "Connections that name the trunk stay, and cannot be called until they name another one.",
  }),
};
