/** `groups` and `stages`: what the blocks of an answer are together. The SQL is the same in every warehouse. */
import { isOfShapeSql, type BlockShape } from '../../model/blocks/block-types.js';
import type { ColumnType } from '../../model/table-schema.js';
import { blocksTable } from '../../model/tables.js';

export interface BlockView {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly BlockViewColumn[];
  /**
   * @param blocks the table or view whose blocks count, as SQL names it
   * @param more further columns of the key: the archive, where there are several
   */
  readonly select: (blocks: string, more?: readonly string[]) => string;
}

interface BlockViewColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly isKey: boolean;
  readonly meaning: string;
}

const JOB = ['user_id', 'session_id', 'job_id', 'job_version'] as const;

/** A column of `blocks`. */
function fromBlocks(name: string, { isKey = false } = {}): BlockViewColumn {
  const column = blocksTable.columns.find((candidate) => candidate.name === name);
  if (!column) throw new RangeError(`blocks has no column ${name}`);
  return { name, type: column.type, isKey, meaning: column.meaning };
}

function counted(name: string, meaning: string, type: ColumnType = 'int64'): BlockViewColumn {
  return { name, type, isKey: false, meaning };
}

const KEY = JOB.map((name) => fromBlocks(name, { isKey: true }));
const ENDS = [
  counted('first_block_index', 'Index of its first block', 'int32'),
  counted('last_block_index', 'Index of its last block', 'int32'),
];
const BLOCK_COUNT = counted('block_count', 'Number of blocks');
const PROVENANCE = ['run_id', 'exported_at'].map((name) => fromBlocks(name));

const SELECT_ENDS = `  MIN(block_index) AS first_block_index,
  MAX(block_index) AS last_block_index`;
const SELECT_PROVENANCE = `  MIN(run_id) AS run_id,
  MIN(exported_at) AS exported_at`;

function count(shape: BlockShape): string {
  return `SUM(CASE WHEN ${isOfShapeSql('type', shape)} THEN 1 ELSE 0 END)`;
}

export const BLOCK_VIEWS: readonly BlockView[] = [
  {
    name: 'groups',
    meaning: 'Steps of an answer that belong together, by the blocks',
    columns: [
      ...KEY,
      { ...counted('group_index', 'Position among the groups, from 0'), isKey: true },
      fromBlocks('group_id'),
      fromBlocks('group_name'),
      fromBlocks('stage'),
      ...ENDS,
      BLOCK_COUNT,
      ...PROVENANCE,
    ],
    select: (blocks, more = []) => `SELECT
  ${JOB.join(', ')},
  ROW_NUMBER() OVER (PARTITION BY ${[...JOB, ...more].join(', ')} ORDER BY MIN(block_index)) - 1 AS group_index,
  group_id,
  MAX(group_name) AS group_name,
  stage,
${SELECT_ENDS},
  COUNT(*) AS block_count,
${[SELECT_PROVENANCE, ...more].join(',\n  ')}
FROM ${blocks}
WHERE role = 'answer' AND group_id IS NOT NULL
GROUP BY ${[...JOB, ...more].join(', ')}, group_id, stage`,
  },
  {
    name: 'stages',
    meaning: 'The blocks of each stage of an answer, counted',
    columns: [
      ...KEY,
      fromBlocks('stage', { isKey: true }),
      BLOCK_COUNT,
      counted('message_count', 'Number of messages'),
      counted('code_count', 'Number of pieces of code'),
      counted('table_count', 'Number of tables'),
      counted('image_count', 'Number of images'),
      counted('char_count', 'Characters of text'),
      ...ENDS,
      ...PROVENANCE,
    ],
    select: (blocks, more = []) => `SELECT
  ${JOB.join(', ')},
  stage,
  COUNT(*) AS block_count,
  CAST(${count('prose')} AS BIGINT) AS message_count,
  CAST(${count('code')} AS BIGINT) AS code_count,
  CAST(${count('table')} AS BIGINT) AS table_count,
  CAST(${count('image')} AS BIGINT) AS image_count,
  CAST(SUM(COALESCE(char_count, 0)) AS BIGINT) AS char_count,
${SELECT_ENDS},
${[SELECT_PROVENANCE, ...more].join(',\n  ')}
FROM ${blocks}
WHERE role = 'answer' AND stage IS NOT NULL
GROUP BY ${[...JOB, ...more].join(', ')}, stage`,
  },
];
