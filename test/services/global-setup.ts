/** Runs once before all tests: says in a line each what is left out on this machine, and how to have it. */
import type { TestProject } from 'vitest/node';
import { useMemoryDirectory } from './memory-directory.js';
import { missingPrograms } from './programs.js';
import { missingS3 } from './s3-availability.js';
import { startBroker, type Broker } from './s3-broker.js';

let broker: Broker | undefined;
let directory: ReturnType<typeof useMemoryDirectory> | undefined;

export async function setup(project: TestProject): Promise<void> {
  const missing = [...missingPrograms, ...missingS3];
  for (const what of missing) process.stderr.write(`Left out: ${what}.\n`);
  directory = useMemoryDirectory();
  broker = await startBroker();
  project.provide('s3Broker', broker.url);
}

export async function teardown(): Promise<void> {
  await broker?.close();
  directory?.remove();
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where test files ask for the S3 server; it is started for the first of them. */
    s3Broker: string;
  }
}
