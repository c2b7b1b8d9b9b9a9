/** The frame of a subscriber's pages: one column, light and dark, nothing from elsewhere, no script. */
import { createHash } from 'node:crypto'
import { escapeHtml } from '../escape.ts'

const style = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --text: #1b2330; --quiet: #566173;
  --line: #d5dae2; --accent: #2f4bb3; --on-accent: #fff; --good: #1b6e3c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161d; --card: #1b212b; --text: #e8ebf0;
  --quiet: #a3adbd; --line: #374151; --accent: #9db2ff; --on-accent: #10182e; --good: #7fd6a3;
  --bad: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 36rem; margin: 3rem auto; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
p { margin: .75rem 0; }
p, label { overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.note { padding: .6rem .9rem; border-left: 4px solid var(--good); background: var(--ground); }
.note.bad { border-color: var(--bad); }
fieldset { margin: 1.5rem 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
label { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; }
input { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; flex: none;
  transform: translateY(.15rem); }
.list { margin: .25rem 0 0 .35rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.depth-1 { margin-left: 1.5rem; } .depth-2 { margin-left: 3rem; } .depth-3 { margin-left: 4.5rem; }
button { font: inherit; font-weight: 600; padding: .65rem 1.3rem; border: 2px solid var(--accent);
  border-radius: .5rem; background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.plain { background: transparent; color: var(--accent); }
a { color: var(--accent); }
hr { margin: 2rem 0 1.5rem; border: 0; border-top: 1px solid var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 40rem) { main { margin: 0; border-radius: 0; border-width: 0 0 1px; padding: 1.5rem 1.1rem; } }
@media (forced-colors: active) { button { border-color: ButtonText; } }
`

const styleHash = createHash('sha256').update(style).digest('base64')

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address of the page is a secret: nothing may keep it or send it on. */
export const pageHeaders = {
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

/** `content` is markup already; texts in it are escaped. */
export const framed = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`
