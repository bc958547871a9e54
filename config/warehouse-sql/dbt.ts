/** The generated part of the dbt project: sources, current views, and the usage models made from the queries. */
import { TABLES } from '../../src/model/tables.js';
import { currentViewsOf } from './current-scripts.js';
import { PARTITION, SCHEMA } from './dialect.js';

/** By path inside the project. @param queries SQL by name */
export function dbtFiles(queries: ReadonlyMap<string, string>): Map<string, string> {
  const current = currentViewsOf(
    (table) =>
      table.startsWith('current_')
        ? `{{ ref('${table}') }}`
        : `{{ source('${SCHEMA}', '${table}') }}`,
    (name) => (name === 'commit' ? `"${name}"` : name),
  );
  return new Map([
    ['models/sources.yml', sources()],
    ...current.map(
      ({ name, meaning, select }) =>
        [`models/current/${name}.sql`, `-- ${meaning}.\n${select}\n`] as const,
    ),
    ...[...queries].map(([name, sql]) => [`models/usage/${name}.sql`, asModel(sql)] as const),
  ]);
}

function sources(): string {
  const lines = [
    'version: 2',
    '',
    'sources:',
    `  - name: ${SCHEMA}`,
    `    description: Tables of an archive, which the statements beside this project name to the warehouse`,
    `    schema: "{{ var('jobvault_schema', '${SCHEMA}') }}"`,
    '    tables:',
  ];
  for (const table of TABLES) {
    lines.push(`      - name: ${table.name}`);
    lines.push(`        description: ${quoted(table.meaning)}`);
    lines.push('        columns:');
    for (const column of table.columns) {
      lines.push(`          - name: ${column.name}`);
      lines.push(`            description: ${quoted(column.meaning)}`);
      if (column.isKey) lines.push('            data_tests: [not_null]');
    }
    lines.push(`          - name: ${PARTITION.name}`);
    lines.push(`            description: ${quoted(PARTITION.meaning)}`);
    lines.push('            data_tests: [not_null]');
  }
  return `${lines.join('\n')}\n`;
}

/** The Monday of a time as the queries write it, for DuckDB: other warehouses have other words for UTC. */
const UTC_MONDAY = /CAST\(date_trunc\('week', (.+) AT TIME ZONE 'UTC'\) AS DATE\)/g;

/** The day of a time, likewise. */
const UTC_DAY = /CAST\((\w+) AT TIME ZONE 'UTC' AS DATE\)/g;

/** Turns a query into a dbt model: without order, with refs, with a macro for what is not the same everywhere. */
function asModel(sql: string): string {
  return sql
    .replace(/\nORDER BY [^\n]*\n$/, '\n')
    .replaceAll(/\bcurrent_\w+/g, (name) => `{{ ref('${name}') }}`)
    .replaceAll(
      /\bFROM (jobs|sessions)\b/g,
      (_, table: string) => `FROM {{ source('${SCHEMA}', '${table}') }}`,
    )
    .replaceAll(UTC_MONDAY, (_, time: string) => `{{ utc_monday('${time}') }}`)
    .replaceAll(UTC_DAY, (_, time: string) => `{{ utc_day('${time}') }}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
