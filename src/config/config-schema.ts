/** Makes the JSON Schema of the configuration file, for editors, from the settings themselves. */
import { type Setting } from './setting.js';
import { z } from 'zod';
import { parseJson } from '../base/text/parse-json.js';
import type { JsonObject } from '../model/records.js';
import { ALL_SETTINGS } from './all-settings.js';

/** Draft 7: language servers for YAML support it completely. */
const TARGET = { target: 'draft-7', io: 'input', unrepresentable: 'any' } as const;

export function configSchema(): JsonObject {
  const properties = [...namesakes()].map(([name, settings]) => [name, propertyOf(settings)]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'jobvault.config.yaml',
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    additionalProperties: false,
  };
}

/** Settings by name: several commands can have one of the same name. */
function namesakes(): Map<string, Setting[]> {
  const byName = new Map<string, Setting[]>();
  for (const setting of ALL_SETTINGS) {
    if (setting.isFlagOnly) continue;
    byName.set(setting.name, [...(byName.get(setting.name) ?? []), setting]);
  }
  return byName;
}

function propertyOf(settings: readonly Setting[]): JsonObject {
  const shapes = new Map(settings.map((setting) => [JSON.stringify(shapeOf(setting)), setting]));
  const descriptions = [...new Set(settings.map(({ describe }) => describe))];
  const [only, ...others] = [...shapes.values()].map(shapeOf);
  const defaults = [...new Set(settings.map((setting) => JSON.stringify(setting.default)))];
  const [single] = defaults;
  return {
    description: descriptions.join('\n\n'),
    ...(defaults.length === 1 && single !== undefined ? { default: parseJson(single) } : {}),
    ...(others.length === 0 ? only : { anyOf: [only, ...others] }),
  };
}

function shapeOf({ schema }: Setting): JsonObject {
  const shape = Object.entries(z.toJSONSchema(schema, TARGET));
  return Object.fromEntries(shape.filter(([keyword]) => keyword !== '$schema'));
}
