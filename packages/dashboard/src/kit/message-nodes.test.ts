/** The preview of a message has the elements and texts of the public page. */
import { messageHtml } from '@status-page/markdown'
import { createElement, Fragment } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import t from 'tap'
import { messageNodes } from './message-nodes.ts'

const previewOf = (message: string) =>
  renderToStaticMarkup(createElement(Fragment, null, ...messageNodes(message)))

/** Differences without effect: line breaks between elements, and the target of links. */
const normalized = (html: string) =>
  html
    .replaceAll('<br/>', '<br>')
    .replaceAll(/ (?:rel|target)="[^"]*"/g, '')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\n(?=<)|(?<=>)\n/g, '')

const messages = [
  'We are **investigating** _errors_ of `GET /a?b=<c>`.\nMore at https://status.example/x?y=1&z.',
  '# Heading\n\nText\n\n- one\n- two\n  - nested\n\n3. three\n4. four',
  '- loose\n\n- list',
  '> quoted\n> text\n\n```\nls <b> & "c"\n```\n\n    indented',
  '<img src=x onerror=alert(1)> <script>alert(1)</script> &lt; [a](javascript:alert(1))',
  '[label](https://b.example/?c=1&d=2) <mailto:a@b.example> \\*stars\\*',
  'تعطل **الدفع**\nチェックアウトが停止',
  '',
]

t.test('the preview of a message equals the public page', async (t) => {
  for (const message of messages) {
    t.equal(normalized(previewOf(message)), normalized(messageHtml(message)), message)
  }
})

t.test('a message with too many marks is shown as text with its line breaks', async (t) => {
  const message = '*a*\n'.repeat(2_000)
  t.equal(normalized(previewOf(message)), normalized(`<p>${'*a*<br>'.repeat(2_000)}</p>`))
})
