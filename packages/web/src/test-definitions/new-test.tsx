import { Page } from "../frame/page.tsx";

export function NewTest() {
  return <Page title="New test">{null}</Page>;
}
