/** A button that saves a result as CSV for a spreadsheet: no text in it becomes a formula. */
import { csvLine, type CsvCell } from '../../base/text/csv.js';
import { make } from './dom.js';

/** @param rows called when it is pressed */
export function downloadButton(
  name: string,
  columns: readonly string[],
  rows: () => Promise<readonly (readonly CsvCell[])[]> | readonly (readonly CsvCell[])[],
): HTMLElement {
  const button = make('button', { type: 'button', class: 'plain' }, 'Download as CSV');
  button.addEventListener('click', () => void save());
  return button;

  async function save(): Promise<void> {
    const lines = [columns, ...(await rows())].map(csvLine);
    // spreadsheets take a file without the mark for one in an old encoding
    const blob = new Blob(['\uFEFF', ...lines], { type: 'text/csv;charset=utf-8' });
    const url = URL.createObjectURL(blob);
    make('a', { href: url, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
}
