/** Existence of components by their ids. */
import type { Scope } from '@status-page/postgres'
import { findComponents } from './store.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The schema does not validate keys of maps; keys that are not ids match no component. */
export const existingComponentIds = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Set<string>> => {
  const rows = await findComponents(
    scope,
    ids.filter((id) => uuid.test(id)),
  )
  return new Set(rows.keys())
}
