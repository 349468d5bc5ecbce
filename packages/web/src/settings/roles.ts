import type { Answer, Operations } from "@svc/sdk";

export type Member = Answer<Operations["members"]["edit"]>["member"];
export type Role = Member["role"];

/** Roles as choices, from the one with the fewest rights to the one with the most. */
export const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "viewer" },
  { value: "member", label: "member" },
  { value: "admin", label: "admin" },
];
