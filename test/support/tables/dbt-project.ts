/** Runs a dbt project's SQL without dbt: as much of Jinja as it uses, models in order, tests as dbt means them. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

interface NamedTest {
  readonly name: string;
  /** Rows that fail: none is good. */
  readonly sql: string;
}

type TestEntry = string | Readonly<Record<string, Readonly<Record<string, unknown>>>>;
interface Described {
  readonly name: string;
  readonly data_tests?: readonly TestEntry[];
  readonly columns?: readonly Described[];
}
interface Properties {
  readonly models?: readonly Described[];
  readonly sources?: readonly { readonly schema: string; readonly tables: readonly Described[] }[];
}

const VARIABLES: Readonly<Record<string, string>> = { jobvault_schema: 'jobvault', team: 'team' };

/** How dbt is told to make a model. */
const CONFIG = /^\{\{ config\((.*?)\n\) \}\}\n/s;

export class DbtProject {
  private constructor(
    /** SQL with Jinja in it, by name. */
    readonly models: ReadonlyMap<string, string>,
    readonly singular: ReadonlyMap<string, string>,
    readonly properties: readonly Properties[],
    readonly schema: string,
    /** What each macro makes of its argument on DuckDB, by name. */
    readonly macros: ReadonlyMap<string, (argument: string) => string>,
  ) {}

  /** @param schema where models go */
  static async read(directory: string, schema: string): Promise<DbtProject> {
    const files = await filesBelow(join(directory, 'models'));
    const yamls = files.filter((file) => file.endsWith('.yml'));
    return new DbtProject(
      await sqlByName(files),
      await sqlByName(await filesBelow(join(directory, 'tests'))),
      await Promise.all(
        yamls.map(async (file) => parse(await readFile(file, 'utf8')) as Properties),
      ),
      schema,
      macrosIn([...(await sqlByName(await filesBelow(join(directory, 'macros')))).values()]),
    );
  }

  /** The statements by which dbt makes a model, the first time or again. */
  statements(name: string, isFirst: boolean): string[] {
    const model = this.models.get(name) ?? '';
    const [whole = '', config = ''] = CONFIG.exec(model) ?? [];
    const relation = `${this.schema}.${name}`;
    const rendered = (sql: string) =>
      this.render(
        sql
          .replaceAll(/\{% if is_incremental\(\) %\}(.*?)\{% endif %\}/gs, isFirst ? '' : '$1')
          .replaceAll('{{ this }}', relation),
      );
    const select = rendered(model.slice(whole.length));
    if (!config.includes("materialized='incremental'")) {
      return [`CREATE OR REPLACE VIEW ${relation} AS ${select}`];
    }
    const [, hook = ''] = /post_hook="([^"]*)"/.exec(config) ?? [];
    const load = isFirst
      ? `CREATE TABLE ${relation} AS ${select}`
      : `INSERT INTO ${relation} ${select}`;
    return [load, rendered(hook)];
  }

  /** As dbt renders it. @throws Error on Jinja that this does not know */
  render(sql: string): string {
    return sql.replaceAll(/\{\{\s*(.+?)\s*\}\}/g, (_, expression: string) => {
      const [, call = '', given = ''] = /^([\w.]+)\((.*)\)$/.exec(expression) ?? [];
      const words = [...given.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);
      const [first = '', second = ''] = words;
      switch (call) {
        case 'ref':
          if (!this.models.has(first)) throw new Error(`there is no model ${first}`);
          return `${this.schema}.${first}`;
        case 'source':
          return `${VARIABLES['jobvault_schema'] ?? ''}."${second}"`;
        case 'dbt.type_string':
          return 'VARCHAR';
        case 'var':
          return VARIABLES[first] ?? second;
        default:
          if (this.macros.has(call)) return this.macros.get(call)?.(first) ?? '';
          throw new Error(`no Jinja that is known here: ${expression}`);
      }
    });
  }

  /** Names of models, each after those that it refers to. */
  inOrder(): string[] {
    const done = new Set<string>();
    const visit = (name: string) => {
      if (done.has(name)) return;
      const sql = this.models.get(name) ?? '';
      for (const [, other = ''] of sql.matchAll(/ref\('(\w+)'\)/g)) visit(other);
      done.add(name);
    };
    for (const name of this.models.keys()) visit(name);
    return [...done];
  }

  tests(): NamedTest[] {
    const generic = this.properties.flatMap(({ models = [], sources = [] }) => [
      ...models.flatMap((model) => this.#testsOf(`${this.schema}.${model.name}`, model)),
      ...sources.flatMap(({ schema, tables }) =>
        tables.flatMap((table) => this.#testsOf(`${this.render(schema)}."${table.name}"`, table)),
      ),
    ]);
    const singular = [...this.singular].map(([name, sql]) => ({ name, sql: this.render(sql) }));
    return [...generic, ...singular];
  }

  #testsOf(relation: string, described: Described): NamedTest[] {
    const { data_tests: own = [], columns = [] } = described;
    return [
      ...own.map((entry) => this.#test(relation, undefined, entry)),
      ...columns.flatMap(({ name, data_tests: tests = [] }) =>
        tests.map((entry) => this.#test(relation, `"${name}"`, entry)),
      ),
    ];
  }

  #test(relation: string, column: string | undefined, entry: TestEntry): NamedTest {
    const [kind = '', options = {}] =
      typeof entry === 'string' ? [entry] : (Object.entries(entry)[0] ?? []);
    const text = (key: string) => options[key] as string;
    const of = column ?? text('column_name');
    const name = `${relation} ${of} ${kind}`;
    const present = `SELECT ${of} AS v FROM ${relation} WHERE ${of} IS NOT NULL`;
    switch (kind) {
      case 'not_null':
        return { name, sql: `SELECT * FROM ${relation} WHERE ${of} IS NULL` };
      case 'unique':
        return { name, sql: `SELECT v FROM (${present}) GROUP BY v HAVING count(*) > 1` };
      case 'accepted_values': {
        const values = (options['values'] as string[]).map((value) => `'${value}'`).join(', ');
        return { name, sql: `SELECT v FROM (${present}) WHERE v NOT IN (${values})` };
      }
      case 'relationships': {
        const parent = this.render(`{{ ${text('to')} }}`);
        const known = `SELECT ${text('field')} AS p FROM ${parent}`;
        return {
          name,
          sql: `SELECT v FROM (${present}) LEFT JOIN (${known}) ON v = p WHERE p IS NULL`,
        };
      }
      default:
        throw new Error(`no test that is known here: ${kind}`);
    }
  }
}

/** Those that are dispatched and have a default, each with one argument. */
function macrosIn(texts: readonly string[]): Map<string, (argument: string) => string> {
  const macros = new Map<string, (argument: string) => string>();
  for (const text of texts) {
    for (const [, name = '', argument = '', body = ''] of text.matchAll(
      /\{% macro default__(\w+)\((\w+)\) %\}(.*?)\{% endmacro %\}/gs,
    )) {
      macros.set(name, (given) => body.replaceAll(`{{ ${argument} }}`, () => given));
    }
  }
  return macros;
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function sqlByName(files: readonly string[]): Promise<Map<string, string>> {
  const sql = files.filter((file) => file.endsWith('.sql'));
  return new Map(
    await Promise.all(
      sql.map(async (file) => [basename(file, '.sql'), await readFile(file, 'utf8')] as const),
    ),
  );
}
