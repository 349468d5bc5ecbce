import { Door } from "./door.tsx";

export function SignUp() {
  return <Door title="Create an account">{null}</Door>;
}
