import { Page } from "../frame/page.tsx";

export function Personas() {
  return <Page title="Personas">{null}</Page>;
}
