/** What a run has archived, in words. */
import { counted } from '../base/text/counted.js';

/** `12 versions of questions`: each that has changed has a further one; in the log also each that a second spelling of its user lists. */
export function versionsOfQuestions(jobs: number): string {
  return `${counted(jobs, 'version')} of questions`;
}
