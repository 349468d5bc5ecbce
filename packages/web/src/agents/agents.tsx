import { Page } from "../frame/page.tsx";

export function Agents() {
  return <Page title="Agents">{null}</Page>;
}
