/** In how many answers each data source was used: known by its id, as `v_most_used_sources` knows it, not by its name. */
import { groupBy } from '../../base/group-by.js';
import { parseJson } from '../../base/text/parse-json.js';
import { textIn } from '../../model/mask-secrets.js';
import type { Row } from '../../model/table-schema.js';
import { Tally } from './tally.js';

/** What it is called, and when an answer used it last: milliseconds since 1970, null where the ids of these tell no time. */
type Named = readonly [source: string, name: string, at: number | null];

/** Plain JSON. */
export interface KeptSources {
  readonly counts: readonly (readonly [source: string, count: number])[];
  readonly names: readonly Named[];
}

export class SourceTally {
  readonly #counts = new Tally();
  readonly #names = new Map<string, Named>();

  /** @param rows of the table `sources`, of one job: each source counts once @param at when it was asked */
  addOfJob(rows: readonly Row[], at: number | null): void {
    const used = new Map(rows.map((row) => [keyOf(row), nameOf(row)]));
    for (const [source, name] of used) {
      this.#counts.add(source);
      this.#name([source, name, at]);
    }
  }

  get kept(): KeptSources {
    return { counts: this.#counts.entries(), names: [...this.#names.values()] };
  }

  merge({ counts, names }: KeptSources): void {
    this.#counts.merge(counts);
    for (const named of names) this.#name(named);
  }

  /** By the newest name, with what tells them apart where several have the same. */
  shown(): Tally {
    const shown = new Tally();
    const names = groupBy([...this.#names.values()], ([, name]) => name);
    for (const [source, count] of this.#counts.entries()) {
      const [, name] = this.#names.get(source) ?? [source, source];
      const isOnlyOne = names.get(name)?.length === 1;
      shown.add(isOnlyOne ? name : `${name} (${apartBy(source)})`, count);
    }
    return shown;
  }

  #name(named: Named): void {
    const [source, name, at] = named;
    const [, known, last] = this.#names.get(source) ?? [];
    if (known === undefined) this.#names.set(source, named);
    const order = (at ?? -Infinity) - (last ?? -Infinity);
    if (order > 0 || (known !== undefined && !(order < 0) && name > known)) {
      this.#names.set(source, named);
    }
  }
}

function keyOf(row: Row): string {
  const id = textIn(row, 'datasource_id') ?? '';
  return JSON.stringify(
    id === '' ? ['source', 'file_type', 'dataset_id'].map((column) => textIn(row, column)) : [id],
  );
}

/** A copy without texts has the id alone. */
function nameOf(row: Row): string {
  return [textIn(row, 'source'), textIn(row, 'datasource_id')].find(Boolean) ?? 'without a name';
}

function apartBy(source: string): string {
  const known = parseJson(source) as (string | null)[];
  const [id, type, dataset] = known;
  if (known.length === 1) return id ?? '';
  const facts = [type && `type ${type}`, dataset && `dataset ${dataset}`].filter(Boolean);
  return facts.length === 0 ? 'without an id' : facts.join(', ');
}
