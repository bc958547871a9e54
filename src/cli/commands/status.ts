/** Shows the status of an archive or several, of some of their users, or of a fleet. */
import { placeOf } from '../command-place.js';
import type { ErasureCounts } from '../../archive/erasing/erasures.js';
import { holdsOn } from '../../archive/holds/holds.js';
import { completenessOf } from '../../archive/reading/caveats/caveat-text.js';
import { noSuchUser } from '../../archive/reading/selection.js';
import type { UserStatus } from '../../completeness/user-status.js';
import { shownAddress } from '../../base/text/address.js';
import type { FleetOfArchive } from '../../fleet/fleet-status.js';
import { variableOf, givenValue, type SettingSources } from '../../config/resolve-settings.js';
import { failureOf, UsageError } from '../../base/error.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import type { ArchiveStatus } from '../../completeness/archive-status.js';
import type { StatusOfSeveral } from '../../completeness/status-of-several.js';
import { redactText } from '../../base/text/redact.js';
import { statusSettings } from '../../config/verify-settings.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { withArchive, withArchives } from '../input/access.js';
import { redisOf } from '../input/redis-url.js';
import { storageOptionsOf } from '../../config/storage-settings.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { type FailedRun, failedRunsOf } from '../monitors/failed-run.js';
import { exitCodeOfError, exitCodeOfKinds } from '../exit-code.js';
import { errorSentence } from '../output/error-sentence.js';
import { caveatsTold } from '../output/tell-caveats.js';
import { fleetOfArchiveView, fleetsView } from '../output/reports/fleet-report.js';
import { severalView } from '../output/reports/several-status-report.js';
import { statusView } from '../output/reports/status-report.js';
import { userView, type UserDetail } from '../output/reports/user-status-report.js';
import type { View } from '../output/view.js';

export const statusCommand = defineCommand({
  usage: 'status [archive..]',
  describe: 'Show what an archive holds, or several together, or the state of a fleet (--redis)',
  positionals: {
    archive:
      'The archive, or several: directories or s3://bucket/prefix; default: out of the configuration',
  },
  archiveOfSettings: 'or-queue',
  settings: statusSettings,
  examples: {
    'jobvault status ./archive': 'reads the log, not the files; verify reads those',
    'jobvault status ./archive --user ada': 'the sessions of one user, with their gaps',
    'jobvault status --redis redis://queue:6379':
      'every queue with its archive, its workers, the last runs',
    'jobvault status ./archive --redis redis://queue:6379':
      'also what the queue has lost of the runs of this archive',
    'jobvault status s3://company/archive-1 s3://company/archive-2':
      'several archives together, with a line for each in which something is wrong',
    'jobvault status ./archive --json': 'one line; verify --expect-head takes its head',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings } = invocation;
    const out = invocation.positionals.archive;
    if (out === undefined) return fleet(invocation);
    if (invocation.furtherWords.length > 0) return several(invocation);
    const queued = namesQueue(invocation) ? await fleetOf(out, invocation) : undefined;
    return withArchive(invocation, async (archive) => {
      const named = new Set(settings.user);
      const users: UserStatus[] = [];
      const names: string[] = [];
      const listings: ListingAge[] = [];
      const status = await archive.status({
        runs: settings.runs,
        pace: { rate: settings.rate, pageSize: settings.pageSize },
        maxStalenessMs: settings.maxStalenessMs,
        exact: settings.exact,
        onUser: (user) => {
          names.push(user.user);
          if (settings.json) listings.push(listingAgeOf(user));
          if (named.has(user.user)) users.push(user);
        },
      });
      const details = await detailsOf(archive, { named, users, names, erasures: status.erasures });
      const failedRuns = await failedRunsOf(status, invocation.sources);
      const shown = {
        ...withFailedRuns(status, failedRuns),
        listings,
        ...(details.length > 0 ? { details } : {}),
        ...(queued ? { fleet: queued } : {}),
      };
      const isCopy = status.pseudonymised !== null;
      const nowMs = invocation.terminal.clock.now();
      const views: View[] =
        details.length > 0
          ? details.map((user) => userView(user, { isCopy, nowMs }))
          : [
              statusView(status, {
                hasRules: deletesByRule(invocation),
                failedRuns,
                nowMs,
                hasQueue: queued !== undefined,
                isExact: settings.exact,
              }),
            ];
      const lost = lostIn(status);
      return {
        exitCode: exitCodeOfKinds(new Set(lost.map(failureOf))),
        errors: lost,
        value: shown,
        view: {
          place: placeOf(invocation.sources, archive.location),
          sections: [...views, ...(queued ? [fleetOfArchiveView(queued)] : [])],
        },
      };
    });
  },
});

interface ListingAge {
  readonly user: string;
  /** When all sessions of the user were listed last; null if they never were. */
  readonly listed_at: string | null;
  /** Whether that listing was read to its end, and all in it is archived. */
  readonly complete: boolean;
}

function listingAgeOf({ user, last_listing: last }: UserStatus): ListingAge {
  return { user, listed_at: last?.at ?? null, complete: last?.complete ?? false };
}

/** What the names in the archive tell is no success, though the rest can be shown. */
function lostIn({ lost_commit: lost }: ArchiveStatus): IntegrityError[] {
  return lost ? [new IntegrityError(lost.path, 'missing', lost.detail)] : [];
}

/** As `--json` has it. */
function withFailedRuns<T>(status: T, failed: readonly FailedRun[] = []) {
  return failed.length > 0 ? { ...status, failed_runs: failed } : status;
}

/** By a flag alone: a variable or a file may name the queue of another command. */
function namesQueue({ sources }: Invocation<typeof statusSettings>): boolean {
  return sources.flags[statusSettings.redis.name] !== undefined;
}

/** The status of several archives: all together, or the named users wherever they are. */
async function several(invocation: Invocation<typeof statusSettings>): Promise<CommandResult> {
  const { settings, sources, secrets, terminal } = invocation;
  const { status, listings, details } = await askSeveral(invocation);
  const fleets: FleetOfArchive[] = [];
  const failedRuns = new Map<string, readonly FailedRun[]>();
  for (const archive of status.archives) {
    if ('error' in archive) continue;
    const { location } = archive;
    if (namesQueue(invocation)) fleets.push(await fleetOf(location, invocation));
    failedRuns.set(location, await failedRunsOf(archive, sources));
  }
  const sentence = (error: unknown): string => redactText(errorSentence(error), secrets);
  const archives = status.archives.map((archive) => {
    const { location } = archive;
    if ('error' in archive) {
      const { error } = archive;
      return { location, exit_code: exitCodeOfError(error), error: sentence(error) };
    }
    const shown = withFailedRuns(archive, failedRuns.get(location));
    const caveats = caveatsTold(archive.caveats, placeOf(sources, location));
    return { ...shown, caveats, listings: listings.get(location) ?? [] };
  });
  const nowMs = terminal.clock.now();
  const views =
    details.length > 0
      ? details.map(({ archive, ...user }): View => {
          const view = userView(user, { isCopy: isCopyIn(status, archive), nowMs });
          const headline = `${archive}\n${view.headline ?? ''}`;
          return { ...view, place: placeOf(sources, archive), headline };
        })
      : [severalView(status, { sentence, failedRuns, isExact: settings.exact })];
  const errors = status.archives.flatMap((archive) =>
    'error' in archive ? [archive.error] : lostIn(archive),
  );
  return {
    exitCode: exitCodeOfKinds(new Set(errors.map(failureOf))),
    value: {
      ...status,
      archives,
      ...(details.length > 0 ? { details: details.map(toldIn(sources)) } : {}),
      ...(fleets.length > 0 ? { fleets } : {}),
    },
    view: { sections: [...views, ...fleets.map(fleetOfArchiveView)] },
    errors,
  };
}

function toldIn(sources: SettingSources) {
  return (detail: UserDetailIn) => ({
    ...detail,
    caveats: caveatsTold(detail.caveats, placeOf(sources, detail.archive)),
  });
}

function isCopyIn({ archives }: StatusOfSeveral, location: string): boolean {
  return archives.some(
    (archive) =>
      archive.location === location && !('error' in archive) && archive.pseudonymised !== null,
  );
}

interface SeveralAsked {
  readonly status: StatusOfSeveral;
  /** By archive; empty unless programs read them. */
  readonly listings: ReadonlyMap<string, readonly ListingAge[]>;
  /** What each archive has of each named user. */
  readonly details: readonly UserDetailIn[];
}

/** @throws {UsageError} none of the archives has such a user */
async function askSeveral(invocation: Invocation<typeof statusSettings>): Promise<SeveralAsked> {
  const { settings, positionals, furtherWords } = invocation;
  const locations = [positionals['archive'] ?? '', ...furtherWords];
  const named = new Set(settings.user);
  const places: { readonly user: UserStatus; readonly archive: string }[] = [];
  const names: string[] = [];
  const listings = new Map<string, ListingAge[]>();
  const status = await withArchives(locations, invocation, (archives) =>
    archives.status({
      runs: settings.runs,
      pace: { rate: settings.rate, pageSize: settings.pageSize },
      maxStalenessMs: settings.maxStalenessMs,
      exact: settings.exact,
      onUser: (user, archive) => {
        if (settings.json) groupOf(listings, archive).push(listingAgeOf(user));
        if (named.size > 0) names.push(user.user);
        if (named.has(user.user)) places.push({ user, archive });
      },
    }),
  );
  const areAllRead = !status.archives.some((archive) => 'error' in archive);
  const unknown = [...named].find((name) => !names.includes(name));
  if (unknown !== undefined && areAllRead) {
    const location = `each of the ${locations.length} archives`;
    const skipped = await skippedInAny(locations, unknown, invocation);
    throw noSuchUser({ location, erasures: status.erasures, skipped }, unknown, names);
  }
  const details: UserDetailIn[] = [];
  for (const { user, archive } of places) {
    const detail = await withArchive({ ...invocation, positionals: { archive } }, (opened) =>
      detailOf(opened, user, named),
    );
    details.push({ archive, ...detail });
  }
  return { status, listings, details };
}

/** Why exports into one of the archives skip a user; null where none does. */
async function skippedInAny(
  locations: readonly string[],
  user: string,
  invocation: Invocation<typeof statusSettings>,
): Promise<string | null> {
  for (const archive of locations) {
    const opened = { ...invocation, positionals: { archive } };
    const skipped = await withArchive(opened, (one) => one.whySkipped(user));
    if (skipped !== null) return skipped;
  }
  return null;
}

function groupOf<T>(groups: Map<string, T[]>, key: string): T[] {
  const group = groups.get(key) ?? [];
  groups.set(key, group);
  return group;
}

interface UserDetailIn extends UserDetail {
  readonly archive: string;
}

/** The settings that make an export or `prune` delete. */
const RULES = ['delete-archived', 'all', 'older-than', 'keep', 'free-slots'];

/** Whether the configuration file or the environment has a rule for deletions. */
function deletesByRule({ sources }: Invocation<typeof statusSettings>): boolean {
  const { environment, file } = sources;
  return RULES.some((name) => environment[variableOf(name)] ?? file?.values[name]);
}

/** @throws {UsageError} neither an archive nor a queue is named */
async function fleet(invocation: Invocation<typeof statusSettings>): Promise<CommandResult> {
  const { settings, terminal, logger, secrets } = invocation;
  if (settings.redis === undefined) {
    throw new UsageError(
      'no archive is named: jobvault status ARCHIVE, a directory or s3://bucket/prefix, or out in the configuration; or --redis URL for the queues of a fleet',
    );
  }
  const place = {
    redis: redisOf(settings.redis, secrets),
    queue: settings.queue,
    logger,
    terms: terminal.terms,
  };
  const { fleetStatus: fleetStatus } = await import('../../fleet/fleet-status.js');
  const queues = await fleetStatus(place, settings.runs);
  const redis = shownAddress(place.redis);
  return { value: { redis, queues }, view: fleetsView(redis, queues) };
}

async function fleetOf(
  out: string,
  { settings, terminal, logger, secrets }: Invocation<typeof statusSettings>,
): Promise<FleetOfArchive> {
  const { fleetOfArchive } = await import('../../fleet/fleet-status.js');
  const redis = redisOf(givenValue(statusSettings.redis, settings.redis), secrets);
  const { queue, runs } = settings;
  const storage = storageOptionsOf(settings);
  return fleetOfArchive({ redis, queue, logger, terms: terminal.terms, out, storage }, runs);
}

/** @throws {UsageError} the archive has no such user */
async function detailsOf(
  archive: OpenArchive,
  {
    named,
    users,
    names,
    erasures,
  }: {
    readonly erasures: ErasureCounts;
    readonly named: ReadonlySet<string>;
    readonly users: readonly UserStatus[];
    /** The names of all users of the archive. */
    readonly names: readonly string[];
  },
): Promise<UserDetail[]> {
  const unknown = [...named].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const skipped = await archive.whySkipped(unknown);
    throw noSuchUser({ location: archive.location, erasures, skipped }, unknown, names);
  }
  return Promise.all(users.map((user) => detailOf(archive, user, named)));
}

async function detailOf(
  archive: OpenArchive,
  user: UserStatus,
  named: ReadonlySet<string>,
): Promise<UserDetail> {
  const detail = await archive.sessionStatuses(user.user, [...named]);
  const sessions = detail.map(({ session }) => session);
  const holds = holdsOn(await archive.bindingHolds(), user.user, sessions);
  const { holdFacts } = await import('./hold.js');
  const others = await archive.otherSpellings([user.user]);
  // what two spellings list that are named counts for one of them, as in a pack of both
  const among = [
    user.user,
    ...others.flatMap((other) => (named.has(other.user) ? [other.user] : [])),
  ];
  const caveats = await archive.caveats({ users: among });
  return {
    ...(await archive.userStatus(user.user, among)),
    status: completenessOf(caveats),
    holds: holds.filter(({ release }) => release === null).map(holdFacts),
    detail,
    caveats,
    other_spellings: others.filter((other) => !named.has(other.user)),
  };
}
