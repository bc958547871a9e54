/** Who wants to watch a run: a progress bar, a log. Called often; must be quick and must not throw. */
export interface ExportObserver {
  userStarted?(user: string): void;
  sessionsListed?(user: string, count: number): void;
  sessionFinished?(user: string, session: string): void;
  jobArchived?(user: string, session: string): void;
  userFinished?(user: string): void;
  committed?(commit: number): void;
}
