import { Page } from "../frame/page.tsx";

export function Conversation() {
  return <Page title="Conversation">{null}</Page>;
}
