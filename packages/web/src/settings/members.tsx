import { Page } from "../frame/page.tsx";

export function Members() {
  return <Page title="Members">{null}</Page>;
}
