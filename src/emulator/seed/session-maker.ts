/** What a session is about: its topic's name in its language. */
import type { SeedPlan } from './seed-plan.js';

export interface SessionPlace {
  readonly user: number;
  readonly session: number;
}

export function languageOf(_place: SessionPlace, _plan: SeedPlan): string {
  return 'EN';
}

export function nameSession({ user, session }: SessionPlace, _plan: SeedPlan): string {
  return `Session ${user}.${session}`;
}
