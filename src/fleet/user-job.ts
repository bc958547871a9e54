/** A user of a run, as the queue hands it out. */
import { z } from 'zod';
import { UsageError } from '../base/usage-error.js';
import { userJobId, type UserJob } from './queues.js';
import { issueIn, runName } from './run-record.js';

const userJobSchema = z.strictObject({ run: runName, user: z.string().min(1) });
const MOST_ATTEMPTS = 100;

/** @throws {UsageError} it is not as `enqueue` puts users into the queue */
export function checkUserJob({ id, data, opts }: UserJob): void {
  const refused = (reason: string) =>
    new UsageError(`the queue's record of a user cannot be used: ${reason}`);
  const result = userJobSchema.safeParse(data);
  if (!result.success) throw refused(issueIn(result.error));
  const { run, user } = result.data;
  if (id !== userJobId(run, user)) throw refused('its id is that of another user');
  const { attempts = 1 } = opts;
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > MOST_ATTEMPTS) {
    throw refused(`attempts is not a whole number from 1 to ${MOST_ATTEMPTS}`);
  }
}
