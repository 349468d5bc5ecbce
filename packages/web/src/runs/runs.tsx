import { Page } from "../frame/page.tsx";

export function Runs() {
  return <Page title="Runs">{null}</Page>;
}
