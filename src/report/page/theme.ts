/** Light or dark: as the system has it, until the reader says otherwise. */

const KEY = 'jobvault-theme';

/** Before anything is drawn. */
export function applyTheme(): void {
  const kept = remembered();
  if (kept !== null) document.documentElement.dataset['theme'] = kept;
}

export function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : dataset['theme'] === 'dark';
  dataset['theme'] = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, dataset['theme']);
  } catch {
    // a browser may forbid it to pages from disk: then it holds until the page is closed
  }
}

function remembered(): string | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : null;
  } catch {
    return null;
  }
}
