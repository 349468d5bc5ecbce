import { Page } from "../frame/page.tsx";

export function Tests() {
  return <Page title="Tests">{null}</Page>;
}
