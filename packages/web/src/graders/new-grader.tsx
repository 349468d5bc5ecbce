import { Page } from "../frame/page.tsx";

export function NewGrader() {
  return <Page title="New grader">{null}</Page>;
}
