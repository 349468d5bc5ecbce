import { Page } from "../frame/page.tsx";

export function GraderPage() {
  return <Page title="Grader">{null}</Page>;
}
