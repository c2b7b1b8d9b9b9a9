/**
 * Texts of automatic incidents: which of them were generated, and which components they name. Pure.
 */
import {
  type AutomaticTexts,
  componentNameIn,
  isOutageTitle,
  outageTitle,
  replaceComponentName,
} from '@status-page/contracts'
import type { IncidentComponentRow, IncidentRow, IncidentUpdateRow } from '../tables.ts'

type Titled = Pick<IncidentRow, 'title' | 'isAutoCreated'>

/** True when the title is the generated one: it consists of known names of components. */
const hasOutageTitle = ({ title, isAutoCreated }: Titled, names: ReadonlySet<string>): boolean =>
  isAutoCreated && isOutageTitle(title, names)

interface NamedComponent {
  /** Whether its outage opened the incident. */
  isTrigger: boolean
  names: readonly string[]
}

/** Generated texts of an event; absent when a user wrote both the title and the message. */
export const automaticTexts = (
  incident: Titled,
  message: string,
  components: readonly NamedComponent[],
): { automatic?: AutomaticTexts } => {
  const positionsOf = (isNamed: (component: NamedComponent) => boolean) =>
    components.flatMap((component, position) => (isNamed(component) ? [position] : []))
  const known = new Set(components.flatMap(({ names }) => names))
  const named = componentNameIn(message)
  const isTitled = hasOutageTitle(incident, known)
  if (!isTitled && named === null) return {}
  return {
    automatic: {
      ...(isTitled ? { title: positionsOf(({ isTrigger }) => isTrigger) } : {}),
      ...(named === null ? {} : { message: positionsOf(({ names }) => names.includes(named)) }),
    },
  }
}

interface Texts {
  incident: IncidentRow
  components: readonly IncidentComponentRow[]
  /** Newest first. */
  updates: readonly IncidentUpdateRow[]
}

/** Returns the name of a component on the page; null where the page does not show it. */
export type ComponentNameOnPage = (componentId: string) => string | null

export const titleOnPage = (
  { incident, components, updates }: Texts,
  nameOn: ComponentNameOnPage,
) => {
  const names = new Set([
    ...components.map(({ name }) => name),
    ...updates.flatMap(({ byPerson, message }) =>
      byPerson ? [] : (componentNameIn(message) ?? []),
    ),
  ])
  return hasOutageTitle(incident, names)
    ? outageTitle(
        components.flatMap(({ componentId, isTrigger }) =>
          isTrigger ? (nameOn(componentId) ?? []) : [],
        ),
      )
    : incident.title
}

export const updateOnPage = (update: IncidentUpdateRow, nameOn: ComponentNameOnPage): string => {
  const { byPerson, message, componentStatuses } = update
  if (byPerson) return message
  const [id, ...others] = Object.keys(componentStatuses)
  return replaceComponentName(message, id === undefined || others.length > 0 ? null : nameOn(id))
}

/** Message of the incident, which equals the message of one of its updates. */
export const messageOnPage = (
  { incident, updates }: Texts,
  nameOn: ComponentNameOnPage,
): string => {
  const update = updates.find(({ message }) => message === incident.message)
  return update === undefined
    ? replaceComponentName(incident.message, null)
    : updateOnPage(update, nameOn)
}
