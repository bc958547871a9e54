/** Reads a pack as a third party would: with sha256sum, a CSV reader of its own and gunzip. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';

const run = promisify(execFile);

export class EvidencePack {
  constructor(readonly directory: string) {}

  /** What `sha256sum -c` prints; rejects when it does not accept every line. */
  async sha256sum(manifest: string): Promise<string> {
    const { stdout } = await run('sha256sum', ['--strict', '-c', manifest], {
      cwd: this.directory,
      maxBuffer: 1e8,
    });
    return stdout;
  }

  /** Paths in the pack, sorted. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.directory.length + 1))
      .sort();
  }

  read(path: string): Promise<Buffer> {
    return readFile(join(this.directory, path));
  }

  async text(path: string): Promise<string> {
    return (await this.read(path)).toString();
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text(path)) as Record<string, unknown>;
  }

  /** Rows of `data/<page>.csv`, the apostrophes that keep formulas away taken out as README.txt says. */
  async page(page: string): Promise<Record<string, string>[]> {
    const rows = await this.rawPage(page);
    const unescaped = (cell: string) => cell.replace(/(^|[;\t\r\n])'/g, '$1');
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, unescaped(cell)])),
    );
  }

  /** The bytes of a row of `items.csv`: those of its file, or of its record in that file. */
  async item({
    pack_path: path = '',
    pack_offset: offset = '',
    bytes,
  }: Record<string, string>): Promise<Buffer> {
    const file = await this.read(path);
    return offset === '' ? file : file.subarray(Number(offset), Number(offset) + Number(bytes));
  }

  /** As the cells stand there. */
  async rawPage(page: string): Promise<Record<string, string>[]> {
    return parse(await this.read(`data/${page}.csv`), {
      bom: true,
      columns: true,
      record_delimiter: '\r\n',
    });
  }

  /** Paths of the files in which a text stands, unpacked where they are packed; in names, too. */
  async filesWith(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const path of await this.files()) {
      const bytes = await this.read(path);
      const content = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      if (path.includes(text) || content.includes(text)) found.push(path);
    }
    return found;
  }
}
