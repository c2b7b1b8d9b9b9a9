/** Components of a page in their order. Pure. */
import type { PageEntry } from './page-draft.ts'

export interface EntryPlace {
  /** Entry next to which others are placed. */
  id: string
  position: 'before' | 'after' | 'on'
}

export const newEntry = (componentId: string): PageEntry => ({
  componentId,
  displayName: null,
  groupName: null,
  order: 0,
  showUptime: true,
  showChildren: true,
})

export const numbered = (entries: readonly PageEntry[]): PageEntry[] =>
  entries.map((entry, order) => ({ ...entry, order }))

/** Entries after some of them were moved next to another one. */
export const movedEntries = (
  entries: readonly PageEntry[],
  moved: ReadonlySet<string>,
  { id, position }: EntryPlace,
): PageEntry[] => {
  if (moved.has(id)) return [...entries]
  const others = entries.filter(({ componentId }) => !moved.has(componentId))
  const target = others.findIndex(({ componentId }) => componentId === id)
  const index = position === 'before' ? target : target + 1
  const chosen = entries.filter(({ componentId }) => moved.has(componentId))
  return others.toSpliced(index, 0, ...chosen)
}
