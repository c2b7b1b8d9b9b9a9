/** Several pieces of news as one: what came together, or waited together, is told together. */
import type { Language } from './language.ts'
import { oneLine } from './mail.ts'
import type { News } from './news.ts'

/** As many are told of; the others are counted. */
const MAX_LINES = 30
/** Of the subject. */
const MAX_NAMED = 3

/** The first of them lends what a message can have only one of: what it is about, its colour. */
export const digestNews = (news: readonly [News, ...News[]], language: Language): News => {
  const [first] = news
  const names = [...new Set(news.map(({ title }) => title))]
  const isMore = names.length > MAX_NAMED
  const headline = language.several(news.length)
  const title = [
    ...names.slice(0, MAX_NAMED),
    ...(isMore ? [language.andMore(names.length - MAX_NAMED)] : []),
  ].join(', ')
  return {
    ...first,
    ...{ headline, title, summary: language.titled(headline, title) },
    message: [
      ...news.slice(0, MAX_LINES).map(lineOf),
      ...(news.length > MAX_LINES ? [language.andMore(news.length - MAX_LINES)] : []),
    ].join('\n'),
    facts: first.facts.filter(([name]) => name === language.facts.posted),
    url: null,
    components: [...new Set(news.flatMap(({ components }) => components))],
  }
}

const lineOf = ({ summary, url }: News): string =>
  oneLine(`• ${summary}`) + (url === null ? '' : ` ${url}`)
