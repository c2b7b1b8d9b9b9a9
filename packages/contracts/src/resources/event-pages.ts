/**
 * Status pages in an event of an incident or a maintenance, each with the components, names and
 * link that it shows, so that a subscriber of a page never receives a name or link of another page.
 */
import { type Static, Type } from '@sinclair/typebox'
import { Id } from '../scalars.ts'
import { type AutomaticTexts, outageTitle, replaceComponentName } from './automatic-texts.ts'

/** A published page that shows the incident or maintenance. */
export const EventPage = Type.Object({
  id: Id,
  /** URL of the incident or maintenance on this page. */
  url: Type.String(),
  /** Readable without a session, a password or an allowed address. */
  isPublic: Type.Boolean(),
  /** Positions in `components` of the components on the page; see `packPositions`. */
  shown: Type.String(),
  /** Display names by position, for components that the page renames. */
  names: Type.Optional(Type.Record(Type.String(), Type.String())),
})
export type EventPage = Static<typeof EventPage>

const BITS = 8

/** Encodes a set of positions as a bit set in base64url: 500 positions take 84 characters. */
export const packPositions = (positions: readonly number[]): string => {
  const bytes = Buffer.alloc(Math.floor(Math.max(-1, ...positions) / BITS) + 1)
  for (const position of positions) {
    const index = Math.floor(position / BITS)
    bytes[index] = (bytes[index] ?? 0) | (1 << (position % BITS))
  }
  return bytes.toString('base64url')
}

/** Decodes a set from `packPositions` into a membership test. */
export const unpackPositions = (packed: string): ((position: number) => boolean) => {
  const bytes = Buffer.from(packed, 'base64url')
  return (position) => ((bytes[Math.floor(position / BITS)] ?? 0) & (1 << (position % BITS))) !== 0
}

interface DataWithPages {
  title: string
  message: string
  components: readonly { name: string }[]
  pages?: readonly EventPage[] | undefined
  url: string | null
  automatic?: AutomaticTexts | undefined
}

/**
 * Returns the event data as a page shows it: the components of the page with their display names,
 * also in automatic texts, and the link of the page. For a page that the event does not contain,
 * there are no components and no link.
 */
export const eventDataOnPage = <Data extends DataWithPages>(data: Data, pageId: string): Data => {
  const page = data.pages?.find(({ id }) => id === pageId)
  const isShown = unpackPositions(page?.shown ?? '')
  const nameAt = (position: number) =>
    page?.names?.[position] ?? data.components[position]?.name ?? null
  const namesOf = (positions: readonly number[]) =>
    positions.filter(isShown).flatMap((position) => nameAt(position) ?? [])
  const { title, message } = data.automatic ?? {}
  return {
    ...data,
    title: title === undefined ? data.title : outageTitle(namesOf(title)),
    message:
      message === undefined
        ? data.message
        : replaceComponentName(data.message, namesOf(message)[0] ?? null),
    components: data.components.flatMap((component, position) =>
      isShown(position) ? [{ ...component, name: nameAt(position) ?? component.name }] : [],
    ),
    url: page?.url ?? null,
  }
}

/**
 * Pages all of whose affected components are muted. `isMutedNow` receives the position in
 * `components`.
 */
export const mutedPageIds = (
  { components, pages = [] }: Pick<DataWithPages, 'components' | 'pages'>,
  isMutedNow: (position: number) => boolean,
): string[] =>
  pages.flatMap(({ id, shown }) => {
    const isShown = unpackPositions(shown)
    const positions = [...components.keys()].filter(isShown)
    return positions.length > 0 && positions.every(isMutedNow) ? [id] : []
  })

/**
 * Returns the event data for readers outside the organization who subscribed to no page: without a
 * link that they cannot open.
 */
export const eventDataForOutsiders = <Data extends DataWithPages>(data: Data): Data => ({
  ...data,
  url: data.pages?.find(({ isPublic }) => isPublic)?.url ?? null,
})
