/** A dataset with all fields that the three read operations return. */
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
  readonly explorationQuestions: readonly string[];
  readonly keywords: readonly string[];
  readonly synchedCount: number;
  readonly invalidCount: number;
  readonly synchingCount: number;
}
