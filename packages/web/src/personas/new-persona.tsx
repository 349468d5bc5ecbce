import { Page } from "../frame/page.tsx";

export function NewPersona() {
  return <Page title="New persona">{null}</Page>;
}
