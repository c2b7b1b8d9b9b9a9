/**
 * Texts that checks write into incidents, with component names of the organization. Status pages
 * and events for their subscribers replace the name with the display name of the page, or omit it.
 */
import { type Static, Type } from '@sinclair/typebox'
import { escapeMarkdown, unescapeMarkdown } from '../markdown-text.ts'

const MESSAGE = /^Automatic checks of (.+) (have (?:failed since|succeeded since|ended:) .+)$/s
const TITLE_END = ' is down'

/** Title of an incident that failed checks opened; null omits the component name. */
export const outageTitle = (name: string | null): string => `${name ?? 'A component'}${TITLE_END}`

/** Returns the name in a title that `outageTitle` created; null for any other text. */
export const nameInTitle = (title: string): string | null =>
  title.endsWith(TITLE_END) ? title.slice(0, -TITLE_END.length) : null

/** Message of the checks, in Markdown; `outcome` begins with `have`. */
export const checksMessage = (name: string | null, outcome: string): string =>
  `Automatic checks ${name === null ? '' : `of ${escapeMarkdown(name)} `}${outcome}`

/** Returns the name in a message that `checksMessage` created; null for any other text. */
export const componentNameIn = (message: string): string | null => {
  const name = MESSAGE.exec(message)?.[1]
  return name === undefined ? null : unescapeMarkdown(name)
}

/** Returns the message with another name, or without one. */
export const replaceComponentName = (message: string, name: string | null): string => {
  const outcome = MESSAGE.exec(message)?.[2]
  return outcome === undefined ? message : checksMessage(name, outcome)
}

/**
 * Positions in `components` of the components that an automatic text may name; absent for texts by
 * people.
 */
export const AutomaticTexts = Type.Object({
  title: Type.Optional(Type.Array(Type.Integer())),
  message: Type.Optional(Type.Array(Type.Integer())),
})
export type AutomaticTexts = Static<typeof AutomaticTexts>
