import { Page } from "../frame/page.tsx";

export function NewRun() {
  return <Page title="New run">{null}</Page>;
}
