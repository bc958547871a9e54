/** All settings of all commands, and the keys that the configuration file can have. */
import { serviceSettings } from './access-settings.js';
import * as budget from './budget-settings.js';
import { commonSettings } from './common-settings.js';
import * as evidence from './evidence-settings.js';
import { exportSettings } from './export-settings.js';
import * as fleet from './fleet-settings.js';
import * as hold from './hold-settings.js';
import * as reading from './reading-settings.js';
import * as rewrite from './rewrite-settings.js';
import * as search from './search-settings.js';
import * as serve from './serve-settings.js';
import * as serviceCommand from './service-command-settings.js';
import type { Setting } from './setting.js';
import * as setup from './setup-settings.js';
import * as show from './show-settings.js';
import * as signing from './signing-settings.js';
import * as storage from './storage-settings.js';
import * as telemetry from './telemetry-settings.js';
import * as verify from './verify-settings.js';

/** Each file exports settings, groups of them, and functions. */
const FILES = [
  ...[evidence, signing, serve, budget, telemetry, storage, rewrite, verify, hold],
  ...[search, reading, show, fleet, serviceCommand, setup],
];

/** Several commands may share a setting, or have one of the same name: those of an export come first. */
export const ALL_SETTINGS: readonly Setting[] = [
  ...new Set(settingsIn([serviceSettings, exportSettings, commonSettings, ...FILES])),
];

function settingsIn(exported: unknown): Setting[] {
  if (typeof exported !== 'object' || exported === null) return [];
  return isSetting(exported) ? [exported] : Object.values(exported).flatMap(settingsIn);
}

function isSetting(exported: object): exported is Setting {
  return 'schema' in exported && 'form' in exported;
}

/** Every key that the configuration file can have, each once. */
export const ALL_SETTING_NAMES: readonly string[] = [
  ...new Set(ALL_SETTINGS.filter(({ isFlagOnly }) => !isFlagOnly).map(({ name }) => name)),
];
