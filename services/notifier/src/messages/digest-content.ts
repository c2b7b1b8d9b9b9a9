/** Content of a digest: several events in one message. */
import { alertTitle } from '@status-page/html/alert-text'
import { commonMark } from '@status-page/markdown'
import type { ReaderLanguage } from './language.ts'
import { toOneLine } from './mail.ts'
import { type MessageContent, toMessageContent } from './message-content.ts'
import type { WebhookEvent } from './webhook-body.ts'

/**
 * Maximum number of events listed, one per line; the others are counted, to bound the cost of a
 * digest.
 */
const MAX_LINES = 30
/** Maximum number of titles in the subject. */
const MAX_NAMED = 3

/**
 * Combines events; fields that a message has only once, such as the colour, come from the first
 * event. `omitted` subjects are only counted.
 */
export const digestContent = (
  events: readonly [WebhookEvent, ...WebhookEvent[]],
  omitted: number,
  language: ReaderLanguage,
): MessageContent => {
  const [first, ...others] = events
  const firstContent = toMessageContent(first, language)
  const lines = [
    firstContent,
    ...others.slice(0, MAX_LINES - 1).map((one) => toMessageContent(one, language)),
  ]
  const names = [...new Set(events.map((event) => titleOf(event, language)))]
  const unnamed = Math.max(names.length - MAX_NAMED, 0) + omitted
  const unlisted = Math.max(events.length - MAX_LINES, 0) + omitted
  const headline = language.several(events.length + omitted)
  const title = [
    ...names.slice(0, MAX_NAMED),
    ...(unnamed > 0 ? [language.andMore(unnamed)] : []),
  ].join(language.separator)
  return {
    ...firstContent,
    headline,
    title,
    summary: language.titled(headline, title),
    message: [...lines.map(lineOf), ...(unlisted > 0 ? ['', language.andMore(unlisted)] : [])].join(
      '\n',
    ),
    isMarkdown: true,
    facts: firstContent.facts.filter(([name]) => name === language.facts.posted),
    url: null,
    window: null,
    components: [...new Set(lines.flatMap(({ components }) => components))],
  }
}

const titleOf = (event: WebhookEvent, language: ReaderLanguage): string => {
  if ('incident' in event) return event.incident.title
  if ('maintenance' in event) return event.maintenance.title
  if ('monitor' in event) return event.monitor.name
  if ('alert' in event) return alertTitle(event.alert, language.tag)
  if ('sla' in event) return event.sla.name
  if ('target' in event) return event.target.incident.title
  return 'draft' in event ? event.draft.title : event.certificate.name
}

/** Entry of a list in Markdown. */
const lineOf = ({ summary, url }: MessageContent): string => {
  const text = commonMark.escape(toOneLine(summary))
  return commonMark.bullet + (url === null ? text : commonMark.link(text, url))
}
