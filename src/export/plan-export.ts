/** A dry run: what the service has and the archive has not, in counts; nothing is written anywhere. */
import { openArchiveIfThere } from '../archive/open-archive.js';
import { emptyState } from '../archive/user-state.js';
import { systemRandom } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { systemClock } from '../base/system-clock.js';
import { PageGrant } from '../service/page-grant.js';
import type { ServiceClient } from '../service/service-client.js';
import { openStorage } from '../storage/open-storage.js';
import { asSessionId, type UserId } from '../model/ids.js';
import {
  checkedUsers,
  serviceOf,
  settingsOf,
  wantedArchive,
  type ExportToArchiveOptions,
} from './export-to-archive.js';
import { FailureWatch } from './failure-watch.js';
import { listSessions } from './user-export.js';

export interface ExportPlan {
  readonly dry_run: true;
  readonly users: number;
  /** Users that could not be asked about. */
  readonly failed: number;
  readonly sessions: { readonly listed: number; readonly archived: number };
  /** `announced` counts what the service says of its histories. */
  readonly jobs: { readonly announced: number; readonly archived: number };
}

/**
 * Asks for every session and for the length of its history: one small request each.
 *
 * @throws {UsageError} an option makes no sense, or `out` is something else than this service's archive
 * @throws {JobvaultError} the service refuses the key or cannot be reached
 */
export async function planExport(options: ExportToArchiveOptions): Promise<ExportPlan> {
  const { clock = systemClock, random = systemRandom } = options;
  const users = checkedUsers(options);
  const storage = openStorage(options.out, options.storage);
  const service = serviceOf(options, ulid(clock, random));
  const failures = new FailureWatch();
  const plan = {
    dry_run: true as const,
    users: users.length,
    failed: 0,
    sessions: { listed: 0, archived: 0 },
    jobs: { announced: 0, archived: 0 },
  };
  const grants = { sessions: new PageGrant(100), history: new PageGrant(100) };
  const signal = options.signal ?? new AbortController().signal;
  const run = { service, settings: settingsOf(options), grants, signal };
  try {
    const archive = await openArchiveIfThere(storage, wantedArchive(options, { clock, random }));
    for (const userId of users) {
      const state = (await archive?.states.load(userId)) ?? emptyState(userId);
      try {
        const { sessions } = await listSessions(run, userId);
        failures.succeeded();
        plan.sessions.listed += sessions.length;
        for (const { value } of sessions) {
          const known = state.sessions.get(value.id);
          if (known) plan.sessions.archived++;
          plan.jobs.archived += known?.jobs.size ?? 0;
          plan.jobs.announced += await lengthOf(service, userId, value.id, signal);
        }
      } catch (error) {
        if (failures.isFatal(error)) throw error;
        plan.failed++;
      }
    }
    return plan;
  } finally {
    await service.close();
    await storage.close();
  }
}

async function lengthOf(
  service: ServiceClient,
  userId: UserId,
  session: string,
  signal: AbortSignal,
): Promise<number> {
  const sessionId = asSessionId(session);
  const page = await service.getHistory({ userId, sessionId, pageSize: 1, signal });
  return page.totalItems ?? page.records.length;
}
