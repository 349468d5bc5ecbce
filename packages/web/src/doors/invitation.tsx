import { Door } from "./door.tsx";

export function Invitation() {
  return <Door title="Invitation">{null}</Door>;
}
