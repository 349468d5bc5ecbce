import { Page } from "../frame/page.tsx";

export function PersonaPage() {
  return <Page title="Persona">{null}</Page>;
}
