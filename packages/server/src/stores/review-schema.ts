import type { ReviewItem, ReviewReason } from "@svc/contract";

export type ReviewSchema = {
  review_settings: {
    project_id: string;
    /** JSON of `ReviewSettings`. */
    content: string;
    left_out: number;
    alerts_after: string;
    updated_at: string;
  };
  review_items: {
    id: string;
    project_id: string;
    source: ReviewItem["source"];
    conversation: string;
    trace_id: string | null;
    run_id: string | null;
    agent: string | null;
    started_at: string | null;
    state: ReviewItem["state"];
    urgency: number;
    people_wanted: number;
    created_at: string;
    closed_at: string | null;
  };
  review_reasons: {
    item_id: string;
    reason: ReviewReason;
    about: string;
    grader_id: string | null;
    alert_id: string | null;
    sentence: string;
    created_at: string;
  };
  review_grades: { item_id: string; grade_id: string; grader_id: string };
  review_people: {
    item_id: string;
    user_id: string;
    did: ReviewItem["people"][number]["did"];
    until_ms: number;
    at: string;
  };
  review_alerts: { alert_id: string; looked_at: string };
};
