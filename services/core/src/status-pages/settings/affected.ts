/**
 * Current state of the components that incidents and maintenances list, and the pages that show
 * them.
 */
import { type ComponentStatus, type EventPage, packPositions } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import {
  type Ancestor,
  ancestorsIn,
  type ComponentSummary,
  summariesWithAncestors,
} from '../../components/store.ts'
import type { StatusPageRow } from '../../tables.ts'
import { type ComponentWithAncestors, shownComponentFilter } from './shown.ts'
import { listPublishedPages } from './store.ts'

/** Component with its last known name and status. */
export interface ListedComponent {
  componentId: string
  name: string
  status: ComponentStatus
  /** Whether the outage of the component opened the incident. */
  isTrigger?: boolean
  /** Pages that showed the component when it was deleted; the incident or maintenance stays there. */
  retainedPageIds?: readonly string[]
}

/** Published page with its component filter, which indexes the entries of the page once per list. */
interface PublishedPage {
  page: StatusPageRow
  isShown: (component: ComponentWithAncestors) => boolean
}

export interface AffectedContext {
  /** Listed components, by the id of the incident or maintenance. */
  listed: ReadonlyMap<string, readonly ListedComponent[]>
  /** Listed components that exist, and their ancestors. */
  live: ReadonlyMap<string, ComponentSummary>
  ancestors: ReadonlyMap<string, readonly Ancestor[]>
  /** Published pages, oldest first. */
  pages: readonly PublishedPage[]
}

export const loadAffectedContext = async (
  scope: Scope,
  listing: Promise<AffectedContext['listed']>,
): Promise<AffectedContext> => {
  const [listed, pages] = await Promise.all([listing, listPublishedPages(scope)])
  const ids = [...new Set([...listed.values()].flat().map(({ componentId }) => componentId))]
  const live = await summariesWithAncestors(scope, ids)
  return {
    listed,
    live,
    ancestors: ancestorsIn(live, ids),
    pages: pages.map((page) => ({ page, isShown: shownComponentFilter(page) })),
  }
}

/** Current name and status; for deleted components the last known ones. */
export const affectedComponents = (id: string, { listed, live }: AffectedContext) =>
  (listed.get(id) ?? []).map(({ componentId, name, status }) => {
    const { name: nameNow, status: statusNow } = live.get(componentId) ?? { name, status }
    return { id: componentId, name: nameNow, status: statusNow }
  })

/** Components in an event, with the fields that audience scopes select by. */
export const eventComponents = (id: string, context: AffectedContext) =>
  affectedComponents(id, context).map((component) => ({
    ...component,
    isMuted: context.live.get(component.id)?.isMuted ?? false,
    ancestorIds: (context.ancestors.get(component.id) ?? []).map((ancestor) => ancestor.id),
  }))

/**
 * Filter of pages that show the incident or maintenance: those that show one of its components, or
 * all if it lists none.
 */
const pageFilter = (id: string, context: AffectedContext): ((page: PublishedPage) => boolean) => {
  const rows = context.listed.get(id) ?? []
  const placed = rows.flatMap(({ componentId }) => placedOf(componentId, context) ?? [])
  return ({ page, isShown }) =>
    rows.length === 0 ||
    placed.some(isShown) ||
    rows.some(({ retainedPageIds }) => retainedPageIds?.includes(page.id))
}

/**
 * Page that a message links to when its reader is unknown: the oldest public one, else the oldest.
 */
export const linkedPage = (id: string, context: AffectedContext): StatusPageRow | undefined => {
  const isShowing = pageFilter(id, context)
  const publicPage = context.pages.find(
    (published) => isPublic(published.page) && isShowing(published),
  )
  return (publicPage ?? context.pages.find(isShowing))?.page
}

/** Pages that show an incident or maintenance, each with the components and names that it shows. */
export const eventPagesOf = (
  id: string,
  context: AffectedContext,
  linkTo: (slug: string) => string,
): { statusPageIds: string[]; pages?: EventPage[] } => {
  const rows = context.listed.get(id) ?? []
  const pages = context.pages.filter(pageFilter(id, context)).map((published) => ({
    id: published.page.id,
    url: linkTo(published.page.slug),
    isPublic: isPublic(published.page),
    ...shownOn(published, rows, context),
  }))
  const statusPageIds = pages.map((page) => page.id)
  return pages.length === 0 ? { statusPageIds } : { statusPageIds, pages }
}

const isPublic = ({ visibility }: StatusPageRow): boolean => visibility === 'public'

const placedOf = (
  componentId: string,
  { live, ancestors }: Pick<AffectedContext, 'live' | 'ancestors'>,
): ComponentWithAncestors | null => {
  const component = live.get(componentId)
  return component === undefined ? null : { component, ancestors: ancestors.get(componentId) ?? [] }
}

const shownOn = (
  { page, isShown }: PublishedPage,
  rows: readonly ListedComponent[],
  context: AffectedContext,
): Pick<EventPage, 'shown' | 'names'> => {
  const own = new Map(page.components.map((entry) => [entry.componentId, entry.displayName]))
  const positions: number[] = []
  const names: Record<string, string> = {}
  for (const [position, { componentId }] of rows.entries()) {
    const placed = placedOf(componentId, context)
    if (placed === null || !isShown(placed)) continue
    positions.push(position)
    const name = own.get(componentId) ?? null
    if (name !== null) names[position] = name
  }
  const shown = packPositions(positions)
  return Object.keys(names).length === 0 ? { shown } : { shown, names }
}
