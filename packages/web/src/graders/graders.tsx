import { Page } from "../frame/page.tsx";

export function Graders() {
  return <Page title="Graders">{null}</Page>;
}
