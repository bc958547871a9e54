// One rule set for src, test and config; the arrows between the rooms are in room-arrows.js.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { roomArrows } from './room-arrows.js';

const ofLog = {
  group: [
    '**/archive/log/*',
    '!**/archive/log/*-error.js',
    '!**/archive/log/signing.js',
    '!**/archive/log/commit-verifier.js',
    '**/archive/snapshots/*',
  ],
  allowTypeImports: true,
  message:
    'Read the log and part files through archive/reading, and write them as a run does (archive/runs).',
};
// objects are read whole by anybody, and compared with the log on the way; what reads them in any order decodes rows
const ofRows = {
  group: ['**/archive/objects/checked-objects.js'],
  importNames: ['storedBytes', 'checkedBytes'],
  message: 'Read the rows of part files through archive/reading.',
};
const ofParts = {
  group: ['**/archive/parts/part-files.js'],
  importNames: ['writePart'],
  message: 'Write part files as a run does (archive/runs).',
};

const defaultExport = { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' };
/** `it(…)`, `it.only(…)`, `it.each(…)(…)`, `it.skipIf(…).each(…)(…)`, and the same of `test`. */
const tests = ['', '.object', '.callee.object', '.callee.object.callee.object']
  .map((path) => `CallExpression[callee${path}.name=/^(it|test)$/]`)
  .join(', ');
const longTitle = {
  selector: ['Literal[value=/^.{91}/]', 'TemplateLiteral > TemplateElement[value.raw=/^.{91}/]']
    .map((title) => `:matches(${tests}) > ${title}`)
    .join(', '),
  message: 'A title has at most 90 characters, and does not repeat its describe.',
};

export default tseslint.config(
  {
    ignores: ['**/dist/**', 'dist.*/**', '**/node_modules/**', 'coverage/**', 'jobvault-demo*/**'],
  },
  {
    files: ['**/*.js'],
    extends: [js.configs.recommended],
    languageOptions: { globals: { URL: 'readonly', process: 'readonly', console: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.json',
        tsconfigRootDir: new URL('..', import.meta.url).pathname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      'max-lines': ['error', 600],
    },
  },
  {
    // runs in a browser: its own types
    files: ['src/report/page/**/*.ts'],
    languageOptions: { parserOptions: { project: './config/tsconfig.page.json' } },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', defaultExport],
    },
  },
  {
    files: ['test/**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', defaultExport, longTitle] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/base/text/parse-json.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'JSON',
          property: 'parse',
          message:
            'parseJson of base/text/parse-json.ts reads escaped keys right on every Node.js.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    // everybody reads an archive through archive/reading; a run commits rows and writes part files (archive/runs)
    files: ['src/**/*.ts'],
    ignores: [
      'src/archive/**',
      'src/rewrite/copy.ts', // copies snapshots as they are
      'src/evidence/pack-log.ts', // copies commits as they are
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [ofLog, ofRows, ofParts] }],
    },
  },
  { files: ['test/bench/**'], rules: { 'no-console': 'off' } },
  ...roomArrows,
);
