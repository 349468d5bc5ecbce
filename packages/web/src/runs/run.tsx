import { Page } from "../frame/page.tsx";

export function RunPage() {
  return <Page title="Run">{null}</Page>;
}
