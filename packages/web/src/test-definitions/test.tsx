import { Page } from "../frame/page.tsx";

export function TestPage() {
  return <Page title="Test">{null}</Page>;
}
