/** All settings of all commands, and the keys that the configuration file can have. */
import { statusSettings, verifySettings } from './verify-settings.js';
import {
  serviceSettings,
  exportSettings,
  commonSettings,
  serveSettings,
  evidenceSettings,
} from './settings.js';
import { budgetSettings } from './budget-settings.js';
import { enqueueSettings, workerSettings } from './fleet-settings.js';
import {
  deleteArchivedSetting,
  pruneSettings,
  compactSettings,
  copySettings,
  eraseSettings,
  expireSettings,
} from './rewrite-settings.js';
import { reportSettings } from './reading-settings.js';
import { workbookSettings } from './workbook-settings.js';
import { showSettings } from './show-settings.js';
import { filesSettings } from './files-settings.js';
import { changesSettings } from './changes-settings.js';
import { querySettings, selectionSettings } from './search-settings.js';
import {
  datasetSettings,
  datasetStatusSettings,
  deletionSettings,
  listSettings,
  newSessionSettings,
} from './service-command-settings.js';
import {
  gapAcceptSettings,
  holdAddSettings,
  holdReleaseSettings,
  requestCloseSettings,
  requestNewSettings,
  searchCommandSettings,
} from './hold-settings.js';
import type { Setting } from './setting.js';
import { doctorSettings, setupSettings } from './setup-settings.js';
import { telemetrySettings } from './telemetry-settings.js';
import { storageSettings } from './storage-settings.js';

/** Several commands may share a setting. */
export const ALL_SETTINGS: readonly Setting[] = [
  serviceSettings,
  exportSettings,
  commonSettings,
  serveSettings,
  evidenceSettings,
  changesSettings,
  filesSettings,
  verifySettings,
  statusSettings,
  pruneSettings,
  { deleteArchivedSetting },
  compactSettings,
  eraseSettings,
  expireSettings,
  copySettings,
  holdAddSettings,
  holdReleaseSettings,
  gapAcceptSettings,
  requestNewSettings,
  requestCloseSettings,
  storageSettings,
  budgetSettings,
  telemetrySettings,
  listSettings,
  newSessionSettings,
  datasetSettings,
  deletionSettings,
  datasetStatusSettings,
  setupSettings,
  doctorSettings,
  querySettings,
  searchCommandSettings,
  selectionSettings,
  reportSettings,
  workbookSettings,
  showSettings,
  enqueueSettings,
  workerSettings,
].flatMap((group) => Object.values<Setting>(group));

/** Every key that the configuration file can have, each once. */
export const ALL_SETTING_NAMES: readonly string[] = [
  ...new Set(ALL_SETTINGS.filter(({ isFlagOnly }) => !isFlagOnly).map(({ name }) => name)),
];
