/** The page itself: its first view stands in it, everything else is loaded when it is wanted. */
import { escapeHtml } from '../base/text/escape-html.js';

export interface IndexOptions {
  readonly title: string;
  /** The archive, its newest commit and when the report was made: it stands below every page, also on paper. */
  readonly about: readonly string[];
  /** What of the archive it shows; undefined where it shows all. */
  readonly part: string | undefined;
  readonly tiles: string;
  readonly pictures: string;
}

/**
 * Scripts and styles from beside the page alone. A page opened from disk has no origin that 'self'
 * surely means, hence `file:`; from a server that means nothing.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' file:",
  "style-src 'self' file:",
  "img-src 'self' file:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function indexHtml({ title, about, part, tiles, pictures }: IndexOptions): string {
  const selection =
    part === undefined ? '' : `<p id="part"><strong>${escapeHtml(part)}</strong></p>\n`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="data/style.css">
<script src="data/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" id="brand" href="#/" hidden>${escapeHtml(title)}</a>
<search><form id="search"><input id="query" type="search" placeholder="Search questions, answers, tables …" aria-label="Search everything" autocomplete="off" spellcheck="false"></form></search>
<button id="theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" tabindex="-1">
<form id="filters" class="filters" aria-label="Narrow down lists and search" hidden></form>
<div id="overview"><h1>${escapeHtml(title)}</h1>
${selection}<div class="whole">${tiles}</div>
<noscript><p class="lost">To browse the conversations, allow JavaScript for this page: it loads nothing from elsewhere.</p></noscript>
<div class="lists"><section class="card" id="people"><h2>Users</h2></section>
<section class="card" id="latest"><h2>Latest conversations</h2></section></div>
<div class="whole">${pictures}</div>
</div>
<div id="view" hidden></div>
</main>
<p id="spoken" class="unseen" role="status"></p>
<footer><span id="subject"></span>${about.map((one) => `<span>${escapeHtml(one)}</span>`).join('')}</footer>
</body>
</html>
`;
}
