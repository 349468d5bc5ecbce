import type { Answer, Operations } from "@svc/sdk";

export type Member = Answer<Operations["members"]["edit"]>["member"];
export type Role = Member["role"];

/** From the role with the fewest rights to the role with the most. */
export const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "viewer" },
  { value: "member", label: "member" },
  { value: "admin", label: "admin" },
];
