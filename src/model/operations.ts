/**
 * The service's twelve operations, each once: client, commands, emulator and the table of `config/guide/service.md` follow
 * this list. Sources: the service's interface, as `config/guide/service.md` tells it.
 */
import { AGENT_IDS, JOB_MODES, LIMITS, OUTPUT_LANGUAGES } from './records.js';

/** A field of a request, beside the user and the id in the path: what it may hold, and what the command line says of it. */
export type FieldShape = { readonly describe: string; readonly isRequired?: true } & (
  | {
      readonly kind: 'text';
      /** In characters (code points). */
      readonly maxLength: number;
      /** Without it an empty text is refused; `none`: it is the same as no text. */
      readonly empty?: 'allowed' | 'none';
    }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'whole'; readonly min: number; readonly max?: number }
);

/** By the names that the library has for them; the service has `page_number` for `pageNumber`. */
export type InputShape = Readonly<Record<string, FieldShape>>;

const page = {
  /** From 1; the service's default is 1. */
  pageNumber: { kind: 'whole', min: 1, describe: 'Which page; default: the first' },
  /** The service's default is 10; it may grant less than requested. */
  pageSize: { kind: 'whole', min: 1, describe: 'Records of a page' },
} as const satisfies InputShape;

const list = {
  ...page,
  /** At most 128 characters, a part of the name. */
  search: {
    kind: 'text',
    maxLength: LIMITS.searchLength,
    empty: 'none',
    describe: `Only those that contain this text, of up to ${LIMITS.searchLength} characters`,
  },
} as const satisfies InputShape;

const name = {
  kind: 'text',
  maxLength: LIMITS.nameLength,
  describe: `The name, of up to ${LIMITS.nameLength} characters`,
} as const;

/** The service wants the name with every change. */
const session = {
  /** At most 128 characters. */
  name: { ...name, isRequired: true },
  outputLanguage: {
    kind: 'choice',
    choices: OUTPUT_LANGUAGES,
    describe: 'The language of the replies',
  },
  jobMode: {
    kind: 'choice',
    choices: JOB_MODES,
    describe: 'Always analyse, or decide by question',
  },
  /** 0 to 10. */
  maxContextualJobHistory: {
    kind: 'whole',
    min: LIMITS.minContextualJobHistory,
    max: LIMITS.maxContextualJobHistory,
    describe: 'How many earlier jobs are context for a question',
  },
} as const satisfies InputShape;

const dataset = {
  /** At most 128 characters. */
  name,
  /** At most 5000 characters. */
  description: {
    kind: 'text',
    maxLength: LIMITS.descriptionLength,
    empty: 'allowed',
    describe: `The description, of up to ${LIMITS.descriptionLength} characters; may be empty`,
  },
} as const satisfies InputShape;

interface OperationShape {
  /** As it follows “could not” in messages. */
  readonly words: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What it is about: `{id}` in the path stands for the id of one. */
  readonly resource: 'session' | 'dataset';
  /** Relative to the base URL. */
  readonly path: string;
  /** Sent in the query of a GET, and in the body of anything else. */
  readonly input: InputShape;
  /** Whether it lists sessions or datasets. Such a list always exists, so a 404 means a wrong address. */
  readonly isListing?: true;
}

const SESSIONS = '/v2/team/sessions';
const DATASETS = '/v2/team/datasets';

export const OPERATIONS = {
  listSessions: {
    words: 'list sessions',
    method: 'GET',
    resource: 'session',
    path: SESSIONS,
    input: list,
    isListing: true,
  },
  getSession: {
    words: 'get session',
    method: 'GET',
    resource: 'session',
    path: `${SESSIONS}/{id}`,
    input: {},
  },
  createSession: {
    words: 'create session',
    method: 'POST',
    resource: 'session',
    path: SESSIONS,
    input: {
      ...session,
      agentId: {
        kind: 'choice',
        choices: AGENT_IDS,
        describe: 'Reserved by the service; without effect',
      },
    },
  },
  modifySession: {
    words: 'modify session',
    method: 'POST',
    resource: 'session',
    path: `${SESSIONS}/{id}`,
    input: session,
  },
  deleteSession: {
    words: 'delete session',
    method: 'DELETE',
    resource: 'session',
    path: `${SESSIONS}/{id}`,
    input: {},
  },
  getHistory: {
    words: 'get job history',
    method: 'GET',
    resource: 'session',
    path: `${SESSIONS}/{id}/history`,
    input: page,
  },
  listDatasets: {
    words: 'list datasets',
    method: 'GET',
    resource: 'dataset',
    path: DATASETS,
    input: list,
    isListing: true,
  },
  getDatasetOverview: {
    words: 'get dataset overview',
    method: 'GET',
    resource: 'dataset',
    path: `${DATASETS}/{id}/overview`,
    input: {},
  },
  getDatasetStatus: {
    words: 'get dataset status',
    method: 'GET',
    resource: 'dataset',
    path: `${DATASETS}/{id}/status`,
    input: {},
  },
  createDataset: {
    words: 'create dataset',
    method: 'POST',
    resource: 'dataset',
    path: DATASETS,
    input: { ...dataset, name: { ...name, isRequired: true } },
  },
  modifyDataset: {
    words: 'modify dataset',
    method: 'POST',
    resource: 'dataset',
    path: `${DATASETS}/{id}`,
    input: dataset,
  },
  deleteDataset: {
    words: 'delete dataset',
    method: 'DELETE',
    resource: 'dataset',
    path: `${DATASETS}/{id}`,
    input: {},
  },
} as const satisfies Readonly<Record<string, OperationShape>>;

export type OperationName = keyof typeof OPERATIONS;
/** The operations that change nothing. */
export type ReadingOperationName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['method'] extends 'GET' ? Name : never;
}[OperationName];

export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

export function operationShape(name: OperationName): OperationShape {
  return OPERATIONS[name];
}

/** @param id of the session or the dataset, where the operation is about one */
export function operationPath(name: OperationName, id?: string): string {
  const { path } = OPERATIONS[name];
  return id === undefined ? path : path.replace('{id}', () => encodeURIComponent(id));
}

export type FieldValue<Field extends FieldShape> = Field extends {
  readonly choices: readonly (infer Choice)[];
}
  ? Choice
  : Field extends { readonly kind: 'whole' }
    ? number
    : string;
type RequiredOf<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends { readonly isRequired: true } ? Field : never;
}[keyof Fields];
type ValueOf<Field> = Field extends FieldShape ? FieldValue<Field> : never;
type ValuesOf<Fields> = { readonly [Field in keyof Fields]: ValueOf<Fields[Field]> };
type OptionalValuesOf<Fields> = {
  readonly [Field in keyof Fields]?: ValueOf<Fields[Field]> | undefined;
};
type InputValues<Fields> = ValuesOf<Pick<Fields, RequiredOf<Fields>>> &
  OptionalValuesOf<Omit<Fields, RequiredOf<Fields>>>;

/** The fields that an operation takes. */
export type InputOf<Name extends OperationName> = InputValues<(typeof OPERATIONS)[Name]['input']>;

/** `page_number` for `pageNumber`: as the service has it. */
export function wireName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
