/** Tables of users and sessions, with a field that narrows them. */
import type { SessionLine, UserLine } from '../page-data.js';
import { count, make, speak, timeText } from './dom.js';
import { sessionAddress, userAddress } from './routes.js';
import { sortableTable, type SortableTable } from './sortable-table.js';

/** Fewer need no field to narrow them. */
const MANY = 8;
/** Rows drawn at first. */
const SHOWN = 200;

export function usersTable(users: readonly UserLine[]): HTMLElement {
  return narrowable({
    label: 'Users',
    columns: [
      { name: 'User' },
      { name: 'Sessions', isNumber: true },
      { name: 'Jobs', isNumber: true },
      { name: 'Newest job' },
      { name: 'Gaps', isNumber: true },
    ],
    rows: users.map(({ id, sessions, jobs, newest, gaps }) => [
      { content: make('a', { href: userAddress(id) }, id), key: id },
      numberCell(sessions),
      numberCell(jobs),
      timeCell(newest),
      gapCell(gaps),
    ]),
  });
}

export function sessionsTable(user: string, sessions: readonly SessionLine[]): HTMLElement {
  return narrowable({
    label: 'Sessions',
    columns: [
      { name: 'Session' },
      { name: 'Jobs', isNumber: true },
      { name: 'Newest job' },
      { name: 'Language' },
      { name: 'Mode' },
      { name: 'Gaps', isNumber: true },
    ],
    rows: sessions.map((session) => {
      const name = session.name === null || session.name === '' ? session.id : session.name;
      const link = make('a', { href: sessionAddress(user, session.id), dir: 'auto' }, name);
      const marks = session.marks.map((mark) => make('span', { class: 'mark' }, mark));
      return [
        { content: make('div', {}, link, ...marks), key: name },
        numberCell(session.jobs),
        timeCell(session.newest),
        { content: session.language ?? '' },
        { content: session.mode ?? '' },
        gapCell(session.gaps),
      ];
    }),
  });
}

const numberCell = (number: number) => ({ content: number.toLocaleString('en-US'), key: number });
const timeCell = (ms: number | null) => ({ content: timeText(ms), key: ms });
const gapCell = (gaps: number) => ({
  content: gaps === 0 ? '' : make('span', { class: 'mark bad' }, String(gaps)),
  key: gaps,
});

function narrowable(table: SortableTable): HTMLElement {
  const holder = make('div');
  const more = make('button', { type: 'button', class: 'more' }, 'Show all');
  const draw = (words: string, limit: number): number => {
    const rows = table.rows.filter((cells) =>
      String(cells[0]?.key ?? '')
        .toLowerCase()
        .includes(words.trim().toLowerCase()),
    );
    more.hidden = rows.length <= limit;
    more.textContent = `Show all ${rows.length.toLocaleString('en-US')}`;
    holder.replaceChildren(sortableTable({ ...table, rows: rows.slice(0, limit) }), more);
    return rows.length;
  };
  draw('', SHOWN);
  const field = make('input', {
    type: 'search',
    placeholder: 'Narrow down',
    'aria-label': `Narrow down: ${table.label}`,
  });
  field.addEventListener('input', () => speak(count(draw(field.value, SHOWN), 'line')));
  more.addEventListener('click', () => void draw(field.value, Infinity));
  return make('div', { class: 'list' }, table.rows.length > MANY ? field : null, holder);
}
