import { Page } from "../frame/page.tsx";

export function Suite() {
  return <Page title="Suite">{null}</Page>;
}
