/**
 * Texts that checks write into incidents, with component names of the organization. Status pages
 * and events for their subscribers replace the name with the display name of the page, or omit it.
 */
import { type Static, Type } from '@sinclair/typebox'
import { escapeMarkdown, unescapeMarkdown } from '../markdown-text.ts'

const MESSAGE = /^Automatic checks of (.+) (have (?:failed since|succeeded since|ended:) .+)$/s
const ONE_IS_DOWN = ' is down'
const SEVERAL_ARE_DOWN = ' are down'
const OTHERS = /^\d+ more$/

/** Title of an incident that failed checks opened; without names it omits them. */
export const outageTitle = ([first = 'A component', ...others]: readonly string[]): string => {
  const [second] = others
  if (second === undefined) return `${first}${ONE_IS_DOWN}`
  const rest = others.length === 1 ? second : `${others.length} more`
  return `${first} and ${rest}${SEVERAL_ARE_DOWN}`
}

/** Whether `outageTitle` created the title from some of the names. */
export const isOutageTitle = (title: string, names: ReadonlySet<string>): boolean => {
  if (title.endsWith(ONE_IS_DOWN)) return names.has(title.slice(0, -ONE_IS_DOWN.length))
  if (!title.endsWith(SEVERAL_ARE_DOWN)) return false
  const subject = title.slice(0, -SEVERAL_ARE_DOWN.length)
  return [...names].some((name) => {
    const rest = subject.startsWith(`${name} and `) ? subject.slice(`${name} and `.length) : ''
    return names.has(rest) || OTHERS.test(rest)
  })
}

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
