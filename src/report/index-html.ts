/** The page itself: its first view stands in it, everything else is loaded when it is wanted. */
import { escapeHtml } from './escape-html.js';

export interface IndexOptions {
  readonly title: string;
  /** The archive and when the report was made, for the foot. */
  readonly about: string;
  readonly overview: string;
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

export function indexHtml({ title, about, overview }: IndexOptions): string {
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
<a class="brand" href="#/">${escapeHtml(title)}</a>
<search><form id="search"><input id="query" type="search" placeholder="Search questions, answers, tables …" aria-label="Search everything" autocomplete="off" spellcheck="false"></form></search>
<button id="theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" tabindex="-1">
<div id="overview"><h1>${escapeHtml(title)}</h1>
${overview}
<section class="card" id="people"><h2>Users</h2><noscript><p>To browse the conversations, allow JavaScript for this page: it loads nothing from elsewhere.</p></noscript></section>
</div>
<div id="view" hidden></div>
</main>
<p id="spoken" class="unseen" role="status"></p>
<footer>${escapeHtml(about)}</footer>
</body>
</html>
`;
}
