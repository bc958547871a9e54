// Which room may import from which: only from those of its line; `base` lies at the bottom, and `cli` at the top.
// Rooms that are absent from a line are forbidden to it; node:fs and the heavy packages have one home each.

/** What the library and the command line are made of. */
const everyRoomThatWorks = [
  'base',
  'model',
  'flatten',
  'service',
  'storage',
  'formats',
  'timestamp',
  'artifacts',
  'archive',
  'doctor',
  'repair',
  'rewrite',
  'export',
  'completeness',
  'evidence',
  'prune',
  'query',
  'search',
  'making',
  'report',
  'workbook',
  'restore',
  'fleet',
];

const mayImport = {
  base: [],
  model: ['base'],
  flatten: ['base', 'model'],
  service: ['base', 'model'],
  storage: ['base', 'model'],
  formats: ['base', 'model'],
  artifacts: ['base', 'model', 'flatten', 'service', 'storage'],
  timestamp: ['base'],
  archive: ['base', 'model', 'formats', 'storage', 'timestamp'],
  doctor: ['base', 'model', 'service', 'storage', 'formats', 'archive', 'export'],
  repair: ['base', 'model', 'flatten', 'service', 'storage', 'formats', 'artifacts', 'archive'],
  rewrite: ['base', 'model', 'storage', 'formats', 'archive', 'search', 'making'],
  export: ['base', 'model', 'flatten', 'service', 'storage', 'formats', 'artifacts', 'archive'],
  completeness: ['base', 'model', 'archive'],
  search: ['base', 'model', 'storage', 'formats', 'archive', 'query'],
  making: ['base', 'model', 'storage', 'formats', 'archive', 'search'],
  evidence: [
    'base',
    'model',
    'storage',
    'formats',
    'archive',
    'search',
    'making',
    'report',
    'timestamp',
  ],
  prune: ['base', 'model', 'flatten', 'service', 'storage', 'formats', 'artifacts', 'archive'],
  query: ['base', 'model', 'storage', 'formats', 'archive'],
  report: ['base', 'model', 'storage', 'formats', 'artifacts', 'archive', 'search', 'making'],
  workbook: ['base', 'model', 'storage', 'formats', 'archive', 'search', 'making'],
  telemetry: ['base', 'model'],
  fleet: [
    'base',
    'model',
    'flatten',
    'service',
    'storage',
    'formats',
    'artifacts',
    'archive',
    'export',
  ],
  restore: [
    'base',
    'model',
    'flatten',
    'storage',
    'formats',
    'artifacts',
    'archive',
    'export',
    'emulator',
  ],
  emulator: ['base', 'model'],
  config: ['base', 'model', 'storage', 'formats'],
  library: everyRoomThatWorks,
  mcp: ['base', 'model', 'archive', 'completeness', 'query', 'search', 'library'],
  cli: [...everyRoomThatWorks, 'telemetry', 'emulator', 'config', 'library', 'mcp'],
};
const rooms = Object.keys(mayImport);

const homes = {
  undici: ['service', 'artifacts'],
  '@peculiar/*': ['timestamp'],
  asn1js: ['timestamp'],
  '@aws-sdk/*': ['storage'],
  yargs: ['cli'],
  'yargs/*': ['cli'],
  'find-my-way': ['emulator'],
  hucre: ['formats'],
  'hyparquet*': ['formats'],
  '@duckdb/*': ['query'],
  bullmq: ['fleet'],
  ioredis: ['fleet'],
  'markdown-it': ['model', 'report', 'workbook'],
  'highlight.js': ['report'],
  'highlight.js/*': ['report'],
  '@modelcontextprotocol/*': ['mcp'],
};
const filesystem = ['fs', 'fs/promises', 'node:fs', 'node:fs/promises'];
const filesystemHomes = ['storage', 'cli', 'config', 'emulator'];
/** Reads `/proc`, where the system tells of processes; no file of anybody's. */
const readsProc = 'src/base/process-identity.ts';

const arrowsOf = (room, files, touchesFiles) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: [
              ...rooms
                .filter((other) => other !== room && !mayImport[room].includes(other))
                .map((other) => `**/${other}/*`),
              '**/index.js',
              '**/main.js',
            ],
            message: `src/${room} may import only from: ${[room, ...mayImport[room]].join(', ')}.`,
          },
          ...Object.entries(homes)
            .filter(([, home]) => !home.includes(room))
            .map(([name, home]) => ({
              group: [name],
              message: `Only src/${home.join(' and src/')} may use ${name}.`,
            })),
        ],
        paths: touchesFiles
          ? []
          : filesystem.map((name) => ({
              name,
              message: `Only ${filesystemHomes.join(', ')} touch the file system.`,
            })),
      },
    ],
  },
});

export const roomArrows = [
  ...rooms.map((room) => arrowsOf(room, [`src/${room}/**/*.ts`], filesystemHomes.includes(room))),
  arrowsOf('base', [readsProc], true),
];
