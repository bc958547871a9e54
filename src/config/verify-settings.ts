/** Settings of `verify` and `drill`. */
import { fleetSettings } from './fleet-settings.js';
import { serviceSettings } from './access-settings.js';
import { exportSettings } from './export-settings.js';
import { budgetSettings } from './budget-settings.js';
import { storageSettings } from './storage-settings.js';
import { hours, list, parsed, share, toggle, whole } from './setting.js';

export const verifySettings = {
  sample: share({
    name: 'sample',
    describe: 'Read back only this share of the files, and all files of the newest commit: 5%',
  }),
  within: hours({
    name: 'within',
    describe:
      'Read back a part of the files, so that regular checks read all of them in this time: 30d',
    isFlagOnly: true,
  }),
  slice: parsed(
    {
      name: 'slice',
      describe: 'Read back this part of the files, by SHA-256, and do not record when: 7/30',
      isFlagOnly: true,
    },
    'a part such as 7/30: from 1/30 to 30/30, of at most 1000',
    parseSlice,
  ),
  publicKey: list({
    name: 'public-key',
    describe:
      'A file with the Ed25519 public key (PEM) with which commits must be signed; repeatable',
  }),
  timestampCa: list({
    name: 'timestamp-ca',
    describe: 'A file with certificates (PEM) of the time-stamp authorities; repeatable',
  }),
  expectedHead: parsed(
    {
      name: 'expect-head',
      describe: 'A commit that must be in the log: NUMBER or NUMBER:DIGEST, as status shows it',
    },
    "a commit's number such as 42, or 42:<its digest of 64 hexadecimal digits>",
    parseHead,
  ),
  headFile: exportSettings.headFile,
  repair: toggle({
    name: 'repair',
    describe:
      'Repair what can be repaired: move orphans to _quarantine/, fetch artifacts again, write the workbooks of runs',
  }),
  makesDelta: toggle({
    name: 'delta',
    describe: 'With --repair: make the Delta tables again, also if the archive has none',
  }),
  orphanAgeMs: hours({
    name: 'orphan-age',
    isRare: true,
    describe:
      'With --repair: orphans younger than this stay, and tables and images for two days at least',
    default: '7d',
  }),
  againstService: toggle({
    name: 'against-service',
    describe: 'List what only the service or only the archive has',
  }),
  user: list({
    name: 'user',
    describe: 'With --against-service: only this user; repeatable',
    isFlagOnly: true,
  }),
  ...serviceSettings,
  concurrency: exportSettings.concurrency,
  fileConcurrency: exportSettings.fileConcurrency,
  pageSize: exportSettings.pageSize,
  maxFileBytes: exportSettings.maxFileBytes,
  storageBaseUrl: exportSettings.storageBaseUrl,
  ...storageSettings,
  allowPrivateNetwork: exportSettings.allowPrivateNetwork,
};

export const statusSettings = {
  ...fleetSettings,
  ...storageSettings,
  user: list({ name: 'user', describe: "Show this user's sessions; repeatable", isFlagOnly: true }),
  runs: whole(
    { name: 'runs', describe: 'How many of the last runs to show', default: 5 },
    [0, 1000],
  ),
  rate: serviceSettings.rate,
  pageSize: exportSettings.pageSize,
  maxStalenessMs: {
    ...budgetSettings.maxStalenessMs,
    describe: 'Warn if one round through all sessions (a lap) takes longer than this',
  },
  exact: toggle({
    name: 'exact',
    describe: 'Count artifacts by the rows that name them, which reads all of these',
    isFlagOnly: true,
  }),
};

function parseSlice(text: string): { readonly nth: number; readonly of: number } | undefined {
  const [, nth, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (nth === undefined || of === undefined) return undefined;
  return nth >= 1 && nth <= of && of <= 1000 ? { nth, of } : undefined;
}

function parseHead(
  text: string,
): { readonly number: number; readonly digest: string | undefined } | undefined {
  const match = /^(\d{1,15})(?::([0-9a-f]{64}))?$/.exec(text);
  const number = Number(match?.[1]);
  return number >= 1 ? { number, digest: match?.[2] } : undefined;
}
