import { Door } from "./door.tsx";

export function ForgotPassword() {
  return <Door title="Forgotten password">{null}</Door>;
}
