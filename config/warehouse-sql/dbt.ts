/** The generated part of the dbt project: sources, current views, and the usage models made from the queries. */
import { TABLES } from '../../src/model/tables.js';
import { currentViewsOf } from './current-scripts.js';
import type { TableSchema } from '../../src/model/table-schema.js';
import { DBT_VIEWS } from './dbt-views.js';
import { isSameRow, LOG_TABLES } from './loaded-rows.js';
import { PARTITION, SCHEMA } from './dialect.js';

/** By path inside the project. @param queries SQL by name */
export function dbtFiles(queries: ReadonlyMap<string, string>): Map<string, string> {
  const current = currentViewsOf((table) => `{{ ref('${table}') }}`, {
    quoted: (name) => (name === 'commit' ? `"${name}"` : name),
    listedAgain: `{{ source('${SCHEMA}', 'sessions_listed_again') }}`,
  });
  return new Map([
    ['models/sources.yml', sources()],
    ...TABLES.map((table) => [`models/tables/${table.name}.sql`, incremental(table)] as const),
    ...DBT_VIEWS.map(
      ({ name, meaning, sql }) => [`models/views/${name}.sql`, `-- ${meaning}.\n${sql}\n`] as const,
    ),
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
  for (const { name, meaning: what, columns } of LOG_TABLES) {
    lines.push(`      - name: ${name}`);
    lines.push(`        description: ${quoted(what)}`);
    lines.push('        columns:');
    for (const { name: column, meaning } of columns) {
      lines.push(`          - name: ${column}`);
      lines.push(`            description: ${quoted(meaning)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Turns a query into a dbt model: without order, with refs. The model `v_questions` has what the view `v_answers` says. */
function asModel(sql: string): string {
  return sql
    .replace(/\nORDER BY [^\n]*\n$/, '\n')
    .replaceAll(/\bv_answers\b/g, 'v_questions')
    .replaceAll(/\b(?:current|v)_\w+/g, (name) => `{{ ref('${name}') }}`);
}

/** Loads what has come, and deletes what an erasure has taken. */
function incremental(table: TableSchema): string {
  const isSame = isSameRow(table, 'loaded', 'archived');
  const archived = `{{ source('${SCHEMA}', '${table.name}') }}`;
  return `{{ config(
    materialized='incremental',
    incremental_strategy='append',
    post_hook="DELETE FROM {{ this }} AS loaded WHERE NOT EXISTS (SELECT 1 FROM ${archived} AS archived WHERE ${isSame})"
) }}
-- ${table.meaning}, as the archive has them now. A row is never changed: it comes and, by an erasure, goes.
SELECT archived.*
FROM ${archived} AS archived
{% if is_incremental() %}
WHERE NOT EXISTS (
  SELECT 1 FROM {{ this }} AS loaded WHERE ${isSame}
)
{% endif %}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
