/** References of pages and components to uploads. */
import type { Scope } from '@status-page/postgres'
import { type ImageField, referringFields, requireExisting } from './rules.ts'
import { lockReferences } from './store.ts'

/**
 * Requires that the uploads of these fields exist in the organization, and locks them, so that none
 * is deleted before the reference is stored. Throws 400.
 */
export const requireUploads = async (
  scope: Scope,
  baseUrl: string,
  fields: readonly ImageField[],
): Promise<void> => {
  const referring = referringFields(fields, baseUrl)
  if (referring.length === 0) return
  const ids = new Set(referring.map(({ reference }) => reference.id))
  requireExisting(referring, await lockReferences(scope, [...ids]))
}

/** Given image fields of a body; absent and null ones refer to nothing. */
export const givenImages = <Name extends string>(
  body: { readonly [Field in Name]?: string | null | undefined },
  names: readonly Name[],
): ImageField[] =>
  names.flatMap((field) => {
    const url = body[field]
    return url === undefined || url === null ? [] : [{ field, url }]
  })
