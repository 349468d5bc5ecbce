import type { ComponentProps } from "react";
import { Checkbox } from "./ui/check.tsx";

export const RevokeKeys = (input: Pick<ComponentProps<typeof Checkbox>, "name" | "checked" | "onChange">) => (
  <Checkbox
    {...input}
    label="Revoke all my API keys too"
    help="When somebody may know a secret of yours. Workers that use one of these keys stop sending until they get another one."
  />
);

export function revokedWords(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " 1 API key is revoked." : ` ${count} API keys are revoked.`;
}
