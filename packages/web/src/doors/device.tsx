import { Door } from "./door.tsx";

export function Device() {
  return <Door title="Sign in a device">{null}</Door>;
}
