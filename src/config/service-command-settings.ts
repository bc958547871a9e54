/** Settings of `sessions …` and `datasets …`, with the limits of the service. */
import {
  type FieldShape,
  type FieldValue,
  type InputShape,
  OPERATIONS,
  wireName,
} from '../model/operations.js';
import { holdSettings, yesSetting } from './rewrite-settings.js';
import { serviceSettings } from './access-settings.js';
import { exportSettings } from './export-settings.js';
import { storageSettings } from './storage-settings.js';
import {
  choice,
  duration,
  limitedText,
  parsed,
  required,
  type Setting,
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

const { createSession, createDataset, listSessions, modifyDataset, modifySession } = OPERATIONS;

export const listSettings = {
  ...serviceUserSettings,
  ...pagingSettings,
  ...fieldSettings({ search: listSessions.input.search }),
};
export const newSessionSettings = fieldSettings(createSession.input);
export const sessionSettings = fieldSettings(modifySession.input);
export const newDatasetSettings = fieldSettings(createDataset.input);
export const datasetSettings = fieldSettings(modifyDataset.input);

type FieldSetting<Field extends FieldShape> = Setting<
  FieldValue<Field>,
  Field extends { readonly isRequired: true } ? false : true
>;

/** A setting for each field of a request. */
function fieldSettings<const Fields extends InputShape>(
  fields: Fields,
): { readonly [Name in keyof Fields]: FieldSetting<Fields[Name]> } {
  const settings = Object.entries(fields).map(([field, shape]) => {
    const setting = settingOf(wireName(field).replaceAll('_', '-'), shape);
    return [field, shape.isRequired ? required(setting) : setting];
  });
  return Object.fromEntries(settings) as {
    readonly [Name in keyof Fields]: FieldSetting<Fields[Name]>;
  };
}

function settingOf(name: string, shape: FieldShape): Setting {
  const { describe } = shape;
  switch (shape.kind) {
    case 'choice':
      return choice({ name, describe }, shape.choices);
    case 'whole':
      return whole({ name, describe }, [shape.min, shape.max ?? Number.MAX_SAFE_INTEGER]);
    case 'text':
      // the client counts the characters of names and descriptions, and says how many there are
      if (shape.empty === 'none') return limitedText({ name, describe }, shape.maxLength);
      return shape.empty === 'allowed'
        ? parsed({ name, describe }, 'a text', (given) => given)
        : text({ name, describe });
  }
}

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
      'The archive whose holds apply, required without --without-archive: a directory or s3://bucket/prefix; if they cannot be read, nothing is deleted',
  },
  withoutArchive: toggle({
    name: 'without-archive',
    describe: 'Delete without an archive: no holds are checked',
    isFlagOnly: true,
  }),
  ...storageSettings,
};

export const datasetStatusSettings = {
  ...serviceUserSettings,
  wait: toggle({
    name: 'wait',
    describe: 'Wait until nothing is synching; end with exit code 3 if not all is usable then',
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
