/** Tables of users and of conversations, with a field that narrows them. */
import {
  gapCountTexts,
  NO_GAPS,
  NOTHING_MISSING,
  type MissingCounts,
} from '../../model/gap-counts.js';
import type { SessionLine, UserLine } from '../page-data.js';
import { placeOf, type When } from '../../model/times/when.js';
import { askedText } from './known-times.js';
import { count, idParts, make, speak, timeElement } from './elements.js';
import { sessionAddress, userAddress, type Filter } from './addresses.js';
import type { SessionInPeriod } from './job-times.js';
import { sortableTable, type SortableColumn, type SortableTable } from './sortable-table.js';
import { visibleId } from '../../base/text/direction.js';
import { partText } from '../../base/text/counted.js';
import { csvLine, type CsvCell } from '../../base/text/csv.js';
import { badges, standingOf } from './standing.js';

/** Fewer need no field to narrow them. */
const MANY = 8;
/** Rows drawn at first. */
const SHOWN_OF_ALL = 10;
const SHOWN_OF_USER = 50;

export interface UserRow {
  readonly user: UserLine;
  readonly sessions: number;
  readonly jobs: number;
  readonly newest: When;
}

export function usersTable(rows: readonly UserRow[], filter: Filter): HTMLElement {
  const columns: SortableColumn<UserRow>[] = [
    {
      name: 'User',
      isName: true,
      key: ({ user }) => user.id,
      content: ({ user }) =>
        make(
          'div',
          {},
          userLink(user.id, filter),
          ...badges(standingOf(user)),
          gapsWhereNarrow(user.gaps),
        ),
    },
    { name: 'Conversations', isNumber: true, isMinor: true, key: ({ sessions }) => sessions },
    { name: 'Questions', isNumber: true, key: ({ jobs }) => jobs },
    whenColumn(({ newest }) => newest),
  ];
  columns.push(...gapColumns(rows, ({ user }) => user.gaps));
  return narrowable({ label: 'Users', columns, items: rows, shown: SHOWN_OF_ALL });
}

export interface Conversations {
  readonly lines: readonly SessionLine[];
  readonly filter: Filter;
  /** What the filter's period finds of each, by number; null where there is none. */
  readonly found: ReadonlyMap<number, SessionInPeriod> | null;
  /** Whether a column names the user. */
  readonly hasUsers: boolean;
}

export function conversationsTable({ lines, filter, found, hasUsers }: Conversations): HTMLElement {
  const newestOf = (line: SessionLine): When => found?.get(line.number)?.newest ?? line.newest;
  const someOf = ({ number, jobs }: SessionLine): number => found?.get(number)?.jobs ?? jobs;
  const jobsText = (line: SessionLine): string => {
    return partText(someOf(line), line);
  };
  const columns: SortableColumn<SessionLine>[] = [
    {
      name: 'Conversation',
      isName: true,
      key: nameOf,
      content: (line) => {
        const some = someOf(line);
        // its own column is left out where there is little room
        const part = hasUsers && some !== line.archived ? jobsText(line) : null;
        return nameElement(line, filter, part);
      },
    },
  ];
  if (hasUsers) {
    columns.push({
      name: 'User',
      isName: true,
      key: ({ user }) => user,
      content: ({ user }) => userLink(user, filter),
    });
  }
  columns.push(
    {
      name: 'Questions',
      isNumber: true,
      isMinor: hasUsers,
      key: someOf,
      content: jobsText,
    },
    whenColumn(newestOf),
  );
  if (!hasUsers) {
    columns.push(
      { name: 'Language', isMinor: true, key: ({ language }) => language },
      { name: 'Mode', isMinor: true, key: ({ mode }) => mode },
    );
  }
  columns.push(...gapColumns(lines, ({ gaps }) => gaps));
  const shown = hasUsers ? SHOWN_OF_ALL : SHOWN_OF_USER;
  const list = narrowable({ label: 'Conversations', columns, items: lines, shown });
  const header = ['user_id', 'session_id', 'session_name', 'jobs', 'newest_job'];
  list.append(
    downloadButton('conversations', [...header, ...Object.keys(NOTHING_MISSING)], () =>
      lines.map((line) => {
        const { user, id, name, jobs, gaps } = line;
        return [user, id, name, jobs, askedText(newestOf(line)), ...countCells(gaps)];
      }),
    ),
  );
  return list;
}

function nameOf({ name, id }: SessionLine): string {
  return name === null || name.trim() === '' ? visibleId(id) : name;
}

/** @param part how many of its jobs are meant, where that is not all; only on a narrow screen */
function nameElement(line: SessionLine, filter: Filter, part: string | null): HTMLElement {
  const address = sessionAddress(line.user, line.id, filter);
  const marks = badges([...(line.isHeld ? ['on hold'] : []), ...line.marks]);
  const jobs = part === null ? null : make('small', { class: 'tight' }, `${part} questions`);
  const link = make('a', { href: address, dir: 'auto' }, nameOf(line));
  return make('div', {}, link, ...marks, jobs, gapsWhereNarrow(line.gaps));
}

function whenColumn<Item>(newestOf: (item: Item) => When): SortableColumn<Item> {
  return {
    name: 'Newest',
    key: (item) => placeOf(newestOf(item)),
    content: (item) => timeElement(newestOf(item)),
  };
}

/** In the order of `NOTHING_MISSING`. */
function countCells(counts: MissingCounts): number[] {
  const { gaps, doubts, accepted_gaps, accepted_doubts, lost_files } = counts;
  return [gaps, doubts, accepted_gaps, accepted_doubts, lost_files];
}

function gapBadges({
  gaps,
  doubts,
  lost_files,
  ...accepted
}: MissingCounts): (HTMLElement | string)[] {
  const open = gapCountTexts({ ...NO_GAPS, gaps, doubts, lost_files });
  const decided = gapCountTexts({ ...NO_GAPS, ...accepted });
  return [...badges(open, 'mark bad'), ...badges(decided)];
}

/** Under the name, only on a narrow screen: the column of gaps is left out there. */
function gapsWhereNarrow(counts: MissingCounts): HTMLElement | null {
  const shown = gapBadges(counts);
  return shown.length === 0 ? null : make('div', { class: 'tight' }, ...shown);
}

/** A column of these counts, where there are any: one alone, since two lists stand side by side. */
function gapColumns<Item>(
  items: readonly Item[],
  countsOf: (item: Item) => MissingCounts,
): SortableColumn<Item>[] {
  const sumOf = (item: Item): number => countCells(countsOf(item)).reduce((sum, one) => sum + one);
  if (items.every((item) => sumOf(item) === 0)) return [];
  const content = (item: Item): Node => make('div', {}, ...gapBadges(countsOf(item)));
  return [{ name: 'Gaps', isMinor: true, key: sumOf, content }];
}

function narrowable<Item>(table: SortableTable<Item>): HTMLElement {
  const holder = make('div');
  const draw = (words: string): number => {
    const items = table.items.filter((item) =>
      String(table.columns[0]?.key(item) ?? '')
        .toLowerCase()
        .includes(words.trim().toLowerCase()),
    );
    holder.replaceChildren(sortableTable({ ...table, items }));
    return items.length;
  };
  draw('');
  const field = make('input', {
    type: 'search',
    placeholder: 'Narrow down by name',
    'aria-label': `Narrow down: ${table.label}`,
  });
  field.addEventListener('input', () => speak(count(draw(field.value), 'line')));
  return make('div', { class: 'list' }, table.items.length > MANY ? field : null, holder);
}

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

export function userLink(user: string, filter: Filter): HTMLElement {
  return make('a', { href: userAddress(user, filter), dir: 'auto' }, ...idParts(user));
}
