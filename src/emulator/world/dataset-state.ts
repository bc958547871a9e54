/** A dataset with all fields that the three read operations return, named as there. */
export interface DatasetState {
  readonly id: string;
  readonly project: string;
  /** The user who may modify and delete it. */
  readonly creator: string;
  /** Whole; cut to 128 characters when shown. */
  readonly name: string;
  /** Whole; cut to 5000 characters when shown. */
  readonly description: string;
  readonly summary: string;
  readonly exploration_questions: readonly string[];
  readonly keywords: readonly string[];
  readonly synched_count: number;
  readonly invalid_count: number;
  readonly synching_count: number;
}
