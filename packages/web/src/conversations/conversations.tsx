import { Page } from "../frame/page.tsx";

export function Conversations() {
  return <Page title="Conversations">{null}</Page>;
}
