/** The table of commands is derived: `npm run commands` writes it from what the commands' files say. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { wordsOf, type Command } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';

const TABLE = fileURLToPath(new URL('../../../src/cli/commands.ts', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../../src/cli/commands', import.meta.url));

interface Found {
  readonly command: Command;
  readonly file: string;
  /** Of its export. */
  readonly name: string;
}

async function commandsIn(file: string): Promise<Found[]> {
  const module: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ file);
  return Object.entries(module).flatMap(([name, exported]) =>
    typeof exported === 'object' && exported !== null && 'usage' in exported
      ? [{ command: exported as Command, file: file.slice(FOLDER.length + 1, -3), name }]
      : [],
  );
}

/** Where it stands in the table; what is new comes last, until somebody moves it. */
function placeOf({ command }: Found): number {
  const words = wordsOf(command).join(' ');
  const place = COMMANDS.findIndex((listed) => wordsOf(listed).join(' ') === words);
  return place === -1 ? Infinity : place;
}

it('each command is listed, with the words that its file has for it', async () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const found = await Promise.all(
    files.filter((file) => file.endsWith('.ts')).map((file) => commandsIn(`${FOLDER}/${file}`)),
  );
  const entries = found
    .flat()
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.name.localeCompare(b.name))
    .map(
      ({ command: { usage, describe }, file, name }) => `{
        usage: ${JSON.stringify(usage)},
        describe: ${JSON.stringify(describe)},
        load: async () => (await import('./commands/${file}.js')).${name},
      },`,
    );
  const text = `/** Every command, in the order of \`--help\`; \`npm run commands\` adds what is new, from the commands' files. */
    import type { ListedCommand } from './command.js';

    export const COMMANDS: readonly ListedCommand[] = [${entries.join('\n')}];`;
  const options = { ...(await resolveConfig(TABLE)), parser: 'typescript' };
  await expect(await format(text, options)).toMatchFileSnapshot(TABLE);
});
