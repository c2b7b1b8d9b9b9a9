/** Removal of an entry from the overview. Pure. */
import type { Schemas } from '@status-page/client'

type Overview = Schemas['Overview']
/** Parts whose entries wait for an action. */
export type ActionPart = 'alerts' | 'drafts'

/** Overview without the entry, which may be missing already. */
export const withoutEntry = (overview: Overview, part: ActionPart, id: string): Overview => {
  const list = overview[part]
  if (list === null) return overview
  const items = [...list.items].filter((item) => item.id !== id)
  const total = list.total - (list.items.length - items.length)
  return { ...overview, [part]: { total, items } }
}
