/**
 * Texts that checks write into incidents, in the names of the organization. Status pages, and events
 * for their subscribers, show them with the name that the page gives the component, or with none.
 */
import { type Static, Type } from '@sinclair/typebox'

const MESSAGE = /^Automatic checks of (.+) (have (?:failed since|succeeded since|ended:) .+)$/s
const TITLE_END = ' is down'

/** Title of an incident that failed checks open; null: without a name. */
export const outageTitle = (name: string | null): string => `${name ?? 'A component'}${TITLE_END}`

/** The name in a text of the form of `outageTitle`; null in any other text. */
export const nameInTitle = (title: string): string | null =>
  title.endsWith(TITLE_END) ? title.slice(0, -TITLE_END.length) : null

/** Message of checks; `outcome` begins with `have`. */
export const checksMessage = (name: string | null, outcome: string): string =>
  `Automatic checks ${name === null ? '' : `of ${name} `}${outcome}`

/** The name in a message of checks; null in any other text. */
export const nameInMessage = (message: string): string | null => MESSAGE.exec(message)?.[1] ?? null

/** The same message with another name, or with none. */
export const renamedMessage = (message: string, name: string | null): string => {
  const outcome = MESSAGE.exec(message)?.[2]
  return outcome === undefined ? message : checksMessage(name, outcome)
}

/** Positions in `components` of those that a text of the checks may name; absent: written by a person. */
export const AutomaticTexts = Type.Object({
  title: Type.Optional(Type.Array(Type.Integer())),
  message: Type.Optional(Type.Array(Type.Integer())),
})
export type AutomaticTexts = Static<typeof AutomaticTexts>
