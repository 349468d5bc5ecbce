import type { Answer, Operations } from "@svc/sdk";

export type Member = Answer<Operations["members"]["edit"]>["member"];
export type Role = Member["role"];

/** The roles as choices, from the least to the most. */
export const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "viewer" },
  { value: "member", label: "member" },
  { value: "admin", label: "admin" },
];
