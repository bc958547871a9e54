/** The least that reading the service costs: fetch every page and parse it. Usage: floor.js SERVICE */
import type { Service } from '../emulator-process.js';
import { historyPages } from './service-pages.js';

let jobs = 0;
for await (const page of historyPages(JSON.parse(process.argv[2] ?? '') as Service)) {
  jobs += page.jobs.length;
}
process.stdout.write(`${JSON.stringify({ jobs })}\n`);
