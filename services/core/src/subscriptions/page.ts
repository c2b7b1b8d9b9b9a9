/** The page behind the unsubscribe link: says what is subscribed and holds one button. No script. */
import { createHash } from 'node:crypto'
import { escapeHtml } from '../escape.ts'
import { maskedAddress } from '../subscribers/rules.ts'
import type { SubscriberRow } from '../tables.ts'

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; }
button { font: inherit; padding: .6rem 1.2rem; border: 2px solid currentColor; border-radius: .4rem;
  background: transparent; color: inherit; cursor: pointer; }
button:focus-visible { outline: 3px solid; outline-offset: 2px; }
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

export const manageHtml = ({ token, row }: { token: string; row: SubscriberRow }): string => {
  const isOver = row.status === 'unsubscribed'
  const title = isOver ? 'You are unsubscribed' : 'Your subscription'
  const address = `<strong>${escapeHtml(maskedAddress(row))}</strong>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${isOver ? farewell(address) : button(address, token)}
</main>
</body>
</html>
`
}

const farewell = (address: string): string =>
  `<p role="status">No more status notifications go to ${address}.</p>`

const button = (address: string, token: string): string =>
  `<p>Status notifications go to ${address}.</p>
<form method="post" action="/subscriptions/${encodeURIComponent(token)}/unsubscribe">
<button type="submit">Unsubscribe</button>
</form>`
