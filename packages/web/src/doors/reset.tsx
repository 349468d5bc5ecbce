import { Door } from "./door.tsx";

export function Reset() {
  return <Door title="New password">{null}</Door>;
}
