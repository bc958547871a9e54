/** Settings of `sessions …` and `datasets …`, with the limits of the service. */
import { AGENT_IDS, JOB_MODES, LIMITS, OUTPUT_LANGUAGES } from '../model/records.js';
import { holdSettings, yesSetting } from './prune-settings.js';
import { exportSettings, serviceSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';
import {
  choice,
  duration,
  limitedText,
  parsed,
  required,
  text,
  toggle,
  userList,
  whole,
} from './setting.js';

/** Settings of every command of `sessions` and `datasets`. */
export const serviceUserSettings = {
  ...serviceSettings,
  baseUrl: required(serviceSettings.baseUrl),
  user: userList({ name: 'user', describe: 'The user to act for' }),
};

export const pagingSettings = {
  // a flag only: `all: true` in a file is a setting of prune, and deletes sessions
  all: toggle({ name: 'all', describe: 'Every page, checked to be complete', isFlagOnly: true }),
  pageNumber: whole(
    { name: 'page-number', describe: 'Which page; default: the first' },
    [1, 1_000_000_000],
  ),
  pageSize: exportSettings.pageSize,
};

export const listSettings = {
  ...serviceUserSettings,
  ...pagingSettings,
  search: limitedText(
    {
      name: 'search',
      describe: `Only those that contain this text, of up to ${LIMITS.searchLength} characters`,
    },
    LIMITS.searchLength,
  ),
};

const nameSetting = text({
  name: 'name',
  describe: `The name, of up to ${LIMITS.nameLength} characters`,
});

/** The service wants the name with every change. */
export const sessionFieldSettings = {
  name: required(nameSetting),
  outputLanguage: choice(
    { name: 'output-language', describe: 'The language of the replies' },
    OUTPUT_LANGUAGES,
  ),
  jobMode: choice({ name: 'job-mode', describe: 'Always analyse, or decide by question' }, [
    ...JOB_MODES,
  ]),
  maxContextualJobHistory: whole(
    {
      name: 'max-contextual-job-history',
      describe: 'How many earlier jobs are context for a question',
    },
    [LIMITS.minContextualJobHistory, LIMITS.maxContextualJobHistory],
  ),
};

export const agentSetting = choice(
  { name: 'agent-id', describe: 'Reserved by the service; without effect' },
  AGENT_IDS,
);

export const datasetFieldSettings = {
  name: nameSetting,
  description: parsed(
    {
      name: 'description',
      describe: `The description, of up to ${LIMITS.descriptionLength} characters; may be empty`,
    },
    'a text',
    (given) => given,
  ),
};

export const deletionSettings = {
  ...serviceUserSettings,
  dryRun: toggle({ name: 'dry-run', describe: 'Only show what would be deleted' }),
  yes: yesSetting,
};

export const sessionDeletionSettings = {
  ...deletionSettings,
  holdFile: holdSettings.holdFile,
  allowUnknownHolds: holdSettings.allowUnknownHolds,
  allowEmptyHolds: holdSettings.allowEmptyHolds,
  out: {
    ...exportSettings.out,
    describe:
      'The archive whose holds apply (required): a directory or s3://bucket/prefix; if they cannot be read, nothing is deleted',
  },
  withoutArchive: toggle({
    name: 'without-archive',
    describe: 'Delete although no archive is named: no holds are checked',
    isFlagOnly: true,
  }),
  ...storageSettings,
};

export const datasetStatusSettings = {
  ...serviceUserSettings,
  wait: toggle({
    name: 'wait',
    describe: 'Wait until nothing is synching; exit 3 when not all is usable then',
  }),
  timeoutMs: duration({
    name: 'timeout',
    describe: 'With --wait: give up after this long',
    default: '30m',
  }),
  intervalMs: duration({
    name: 'interval',
    describe: 'With --wait: how often to check',
    default: '5s',
  }),
};
