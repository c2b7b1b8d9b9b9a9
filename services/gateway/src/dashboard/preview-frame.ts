/**
 * Document of the frame in which the dashboard displays a preview of a status page. It receives the
 * HTML of the page as a message. Its sandbox gives it an origin of its own, and its policy forbids
 * the scripts of the page, so that the preview has neither the session nor the data of the user.
 */
import { policyHash } from '@status-page/html'

/**
 * Replaces the document with that of each message and keeps the position and the open sections.
 * Links and forms do nothing: the frame shows this page only.
 */
const script = `
const sections = () => [...document.querySelectorAll('details[data-fold]')]
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return
  const isFirst = document.body.childElementCount < 2
  const open = new Map(sections().map((section) => [section.dataset.fold, section.open]))
  const [x, y] = [scrollX, scrollY]
  const next = new DOMParser().parseFromString(data.html, 'text/html')
  next.documentElement.dataset.theme = data.mode
  document.replaceChild(document.adoptNode(next.documentElement), document.documentElement)
  const isPhone = matchMedia('(max-width:34rem)').matches
  for (const section of sections()) {
    const isFolded = isPhone && section.dataset.phone !== undefined
    section.open = isFirst ? section.open && !isFolded : (open.get(section.dataset.fold) ?? section.open)
  }
  scrollTo({ left: x, top: y, behavior: 'instant' })
})
for (const type of ['click', 'auxclick', 'submit']) {
  addEventListener(type, (event) => {
    if (type === 'submit' || event.target.closest('a')) event.preventDefault()
  })
}
parent.postMessage('ready', '*')
`

export const previewFrame = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Preview</title></head>
<body><script>${script}</script></body></html>
`

/** The style of a page depends on its colours; images may come from any HTTPS origin. */
export const framePolicy = [
  "default-src 'none'",
  `script-src ${policyHash(script)}`,
  "style-src 'unsafe-inline'",
  "img-src 'self' https: data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ')
