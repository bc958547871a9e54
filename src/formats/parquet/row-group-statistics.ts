/** A row group's statistics, cut down to what the footer will say of them. */
import type { RowGroup, SchemaElement } from 'hyparquet';
import { unconvertMinMax } from 'hyparquet-writer/src/unconvert.js';

/**
 * The library keeps the least and the greatest text of each column whole until the file ends, as views
 * of the buffer that they stood in: that buffer could be neither freed nor used again. Here they become
 * the short bounds that are written anyway, and own their bytes.
 */
export function detachStatistics(group: RowGroup, schema: readonly SchemaElement[]): void {
  for (const [index, { meta_data: chunk }] of group.columns.entries()) {
    const element = schema[index + 1];
    const statistics = chunk?.statistics;
    if (!element || !statistics) continue;
    const { min_value: least, max_value: greatest } = statistics;
    if (least instanceof Uint8Array) {
      const bound = boundOf(least, element, false);
      statistics.min_value = bound;
      if (Buffer.compare(bound, least) !== 0) statistics.is_min_value_exact = false;
    }
    if (greatest instanceof Uint8Array) {
      const bound = boundOf(greatest, element, true);
      statistics.max_value = bound;
      if (Buffer.compare(bound, greatest) !== 0) statistics.is_max_value_exact = false;
    }
  }
}

function boundOf(value: Uint8Array, element: SchemaElement, isUpper: boolean): Uint8Array {
  return Uint8Array.from(unconvertMinMax(value, element, isUpper) ?? value);
}
