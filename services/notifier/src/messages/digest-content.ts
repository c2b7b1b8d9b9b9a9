/** Several pieces of news as one: what came together, or waited together, is told together. */
import type { MessageLanguage } from './language.ts'
import { oneLine } from './mail.ts'
import { type MessageContent, toMessageContent } from './message-content.ts'
import type { WebhookEvent } from './webhook-body.ts'

/** Events written out, each in a line; the others are counted, so that a digest of any size costs as much. */
const MAX_LINES = 30
/** Of the subject. */
const MAX_NAMED = 3

/** The first of them lends what a message can have only one of: what it is about, its colour. */
export const digestContent = (
  events: readonly [WebhookEvent, ...WebhookEvent[]],
  language: MessageLanguage,
): MessageContent => {
  const [first, ...others] = events
  const firstContent = toMessageContent(first, language)
  const lines = [
    firstContent,
    ...others.slice(0, MAX_LINES - 1).map((one) => toMessageContent(one, language)),
  ]
  const names = [...new Set(events.map(titleOf))]
  const isMore = names.length > MAX_NAMED
  const headline = language.several(events.length)
  const title = [
    ...names.slice(0, MAX_NAMED),
    ...(isMore ? [language.andMore(names.length - MAX_NAMED)] : []),
  ].join(', ')
  return {
    ...firstContent,
    headline,
    title,
    summary: language.titled(headline, title),
    message: [
      ...lines.map(lineOf),
      ...(events.length > MAX_LINES ? [language.andMore(events.length - MAX_LINES)] : []),
    ].join('\n'),
    facts: firstContent.facts.filter(([name]) => name === language.facts.posted),
    url: null,
    window: null,
    components: [...new Set(lines.flatMap(({ components }) => components))],
  }
}

const titleOf = (event: WebhookEvent): string => {
  if ('incident' in event) return event.incident.title
  if ('maintenance' in event) return event.maintenance.title
  if ('monitor' in event) return event.monitor.name
  if ('alert' in event) return event.alert.title
  if ('sla' in event) return event.sla.name
  if ('target' in event) return event.target.incident.title
  return 'draft' in event ? event.draft.title : event.certificate.name
}

const lineOf = ({ summary, url }: MessageContent): string =>
  oneLine(`• ${summary}`) + (url === null ? '' : ` ${url}`)
