import { Page } from "../frame/page.tsx";

export function AgentPage() {
  return <Page title="Agent">{null}</Page>;
}
