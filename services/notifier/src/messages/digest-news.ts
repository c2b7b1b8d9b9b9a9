/** Several pieces of news as one: what came together, or waited together, is told together. */
import type { MessageLanguage } from './language.ts'
import { oneLine } from './mail.ts'
import { type News, newsOf } from './news.ts'
import type { WebhookEvent } from './webhook-body.ts'

/** Events written out, each in a line; the others are counted, so that a digest of any size costs as much. */
const MAX_LINES = 30
/** Of the subject. */
const MAX_NAMED = 3

/** The first of them lends what a message can have only one of: what it is about, its colour. */
export const digestNews = (
  told: readonly [WebhookEvent, ...WebhookEvent[]],
  language: MessageLanguage,
): News => {
  const [first, ...others] = told
  const firstNews = newsOf(first, language)
  const lines = [firstNews, ...others.slice(0, MAX_LINES - 1).map((one) => newsOf(one, language))]
  const names = [...new Set(told.map(titleOf))]
  const isMore = names.length > MAX_NAMED
  const headline = language.several(told.length)
  const title = [
    ...names.slice(0, MAX_NAMED),
    ...(isMore ? [language.andMore(names.length - MAX_NAMED)] : []),
  ].join(', ')
  return {
    ...firstNews,
    headline,
    title,
    summary: language.titled(headline, title),
    message: [
      ...lines.map(lineOf),
      ...(told.length > MAX_LINES ? [language.andMore(told.length - MAX_LINES)] : []),
    ].join('\n'),
    facts: firstNews.facts.filter(([name]) => name === language.facts.posted),
    url: null,
    window: null,
    components: [...new Set(lines.flatMap(({ components }) => components))],
  }
}

const titleOf = (told: WebhookEvent): string => {
  if ('incident' in told) return told.incident.title
  if ('maintenance' in told) return told.maintenance.title
  if ('monitor' in told) return told.monitor.name
  if ('alert' in told) return told.alert.title
  if ('sla' in told) return told.sla.name
  if ('target' in told) return told.target.incident.title
  return 'draft' in told ? told.draft.title : told.certificate.name
}

const lineOf = ({ summary, url }: News): string =>
  oneLine(`• ${summary}`) + (url === null ? '' : ` ${url}`)
