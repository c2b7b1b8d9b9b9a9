/**
 * Pages in an event about an incident or a maintenance: what each of them shows of it, so that a
 * subscriber of a page receives no name and no link of another page.
 */
import { type Static, Type } from '@sinclair/typebox'
import { Id } from '../scalars.ts'
import { type AutomaticTexts, outageTitle, renamedMessage } from './automatic-texts.ts'

/** A published page that shows the incident or maintenance. */
export const EventPage = Type.Object({
  id: Id,
  /** Of the incident or maintenance on this page. */
  url: Type.String(),
  /** Readable without a session, a password or a listed address. */
  isPublic: Type.Boolean(),
  /** Positions in `components` of those that the page shows; see `packPositions`. */
  shown: Type.String(),
  /** Display names by position, where the page has its own. */
  names: Type.Optional(Type.Record(Type.String(), Type.String())),
})
export type EventPage = Static<typeof EventPage>

const BITS = 8

/** A set of positions as a bit set in base64url: 500 of them take 84 characters. */
export const packPositions = (positions: readonly number[]): string => {
  const bytes = Buffer.alloc(Math.floor(Math.max(-1, ...positions) / BITS) + 1)
  for (const position of positions) {
    const index = Math.floor(position / BITS)
    bytes[index] = (bytes[index] ?? 0) | (1 << (position % BITS))
  }
  return bytes.toString('base64url')
}

/** Whether a position is in a set that `packPositions` made. */
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
 * The same fact as a page shows it: its components under its display names, in the texts of checks
 * too, and its link. A page that the event does not describe shows no component and has no link.
 */
export const eventDataOnPage = <Data extends DataWithPages>(data: Data, pageId: string): Data => {
  const page = data.pages?.find(({ id }) => id === pageId)
  const isShown = unpackPositions(page?.shown ?? '')
  const nameAt = (position: number) =>
    page?.names?.[position] ?? data.components[position]?.name ?? null
  const nameOf = (positions: readonly number[]) => {
    const position = positions.find(isShown)
    return position === undefined ? null : nameAt(position)
  }
  const { title, message } = data.automatic ?? {}
  return {
    ...data,
    title: title === undefined ? data.title : outageTitle(nameOf(title)),
    message: message === undefined ? data.message : renamedMessage(data.message, nameOf(message)),
    components: data.components.flatMap((component, position) =>
      isShown(position) ? [{ ...component, name: nameAt(position) ?? component.name }] : [],
    ),
    url: page?.url ?? null,
  }
}

/**
 * Pages that show components of the fact, all of which are muted. `isMutedNow` is by the position in
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

/** The same fact for readers outside of the organization without a page: no link that they cannot open. */
export const eventDataForOutsiders = <Data extends DataWithPages>(data: Data): Data => ({
  ...data,
  url: data.pages?.find(({ isPublic }) => isPublic)?.url ?? null,
})
