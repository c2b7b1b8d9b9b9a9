/** Changes of status pages, each with its event and audit entry, and their definitions. */
import {
  invalid,
  type NewPageDefinition,
  type PageDefinitionPatch,
  type SealedPagePassword,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import {
  type Authenticator,
  pagePasswordContext,
  SealError,
  type Sealer,
} from '@status-page/secrets'
import type { ChangeDrafts, ConfiguredResource } from '../configured-resource.ts'
import { saveWithdrawnAddresses } from '../subscribers/erased-addresses.ts'
import { subscriberDeletedEvent } from '../subscribers/rules.ts'
import { removeSubscribersOfPage } from '../subscribers/store.ts'
import type { StatusPageRow } from '../tables.ts'
import { givenImages, requireUploads } from '../uploads/references.ts'
import { TakenError } from './settings/duplicates.ts'
import {
  auditPage,
  changePage,
  createPage,
  pageEvent,
  pageFields,
  type StoredPassword,
} from './settings/rules.ts'
import * as store from './settings/store.ts'
import { findTakenValues } from './taken-values.ts'

export interface PageChangeDeps {
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
  /** Keys the hashes of addresses that only their owner may subscribe again. */
  erasedAddress: Authenticator
  /** Encrypts the digests of passwords. */
  sealer: Sealer
}

const imageFields = ['logoUrl', 'logoDarkUrl', 'faviconUrl'] as const

export const addPage = async (
  scope: Scope,
  row: StatusPageRow,
  { baseUrl }: Pick<PageChangeDeps, 'baseUrl'>,
): Promise<ChangeDrafts> => {
  await requireUploads(scope, baseUrl, givenImages(row, imageFields))
  await store.insertPage(scope, row)
  return {
    events: [pageEvent('created', row, baseUrl)],
    audit: [auditPage('create', null, row)],
  }
}

/** A change without a new version is saved without an event. */
export const updatePage = async (
  scope: Scope,
  { before, row }: { before: StatusPageRow; row: StatusPageRow },
  { baseUrl }: Pick<PageChangeDeps, 'baseUrl'>,
): Promise<ChangeDrafts> => {
  const changedFields = imageFields.filter((field) => row[field] !== before[field])
  await requireUploads(scope, baseUrl, givenImages(row, changedFields))
  if (row !== before) await store.savePage(scope, row)
  if (row.version === before.version) return { events: [], audit: [] }
  return {
    events: [pageEvent('updated', row, baseUrl)],
    audit: [auditPage('update', before, row)],
  }
}

/** Also deletes the subscribers of the page. */
export const deletePage = async (
  scope: Scope,
  row: StatusPageRow,
  { baseUrl, erasedAddress }: PageChangeDeps,
): Promise<ChangeDrafts> => {
  const bound = await removeSubscribersOfPage(scope, row.id)
  await saveWithdrawnAddresses(erasedAddress, scope, bound)
  await store.removePage(scope, row.id)
  const deleted = { ...row, version: row.version + 1 }
  return {
    events: [pageEvent('deleted', deleted, baseUrl), ...bound.map(subscriberDeletedEvent)],
    audit: [auditPage('delete', row, row)],
  }
}

export const pageDefinitions = (
  deps: PageChangeDeps & { database: Database },
): ConfiguredResource<StatusPageRow, NewPageDefinition, PageDefinitionPatch> => ({
  list: store.listPagesAfterId,
  lock: store.lockPages,
  nameOf: ({ slug }) => slug,
  findNames: store.findPageSlugs,
  findTaken: (organizationId, changes) => findTakenValues(deps.database, organizationId, changes),
  fieldsOf: (row) => ({ ...pageFields(row), password: row.passwordDigest }),
  create: (id, body, { organizationId, components, now }) =>
    createPage(
      { id, organizationId, body, managedByConfig: true },
      {
        known: components,
        password: openPassword(deps.sealer, { id, organizationId }, body.password),
        ownHost: deps.ownHost,
        now,
      },
    ),
  change: (row, patch, { components, now }) =>
    changePage(row, patch, {
      known: components,
      password: openPassword(deps.sealer, row, patch.password),
      ownHost: deps.ownHost,
      now,
    }),
  insert: (scope, row) => withTakenIssues(addPage(scope, row, deps)),
  save: (scope, before, row) => withTakenIssues(updatePage(scope, { before, row }, deps)),
  remove: (scope, row) => deletePage(scope, row, deps),
})

/** A value that another page took after the dry run is a problem of the document. */
const withTakenIssues = async (changed: Promise<ChangeDrafts>): Promise<ChangeDrafts> => {
  try {
    return await changed
  } catch (error) {
    if (!(error instanceof TakenError)) throw error
    throw invalid({ field: error.field, message: error.message })
  }
}

/** Password of a batch as it is stored; the hash of a dry run is empty. */
const openPassword = (
  sealer: Sealer,
  { id, organizationId }: { id: string; organizationId: string },
  sealed: SealedPagePassword | null | undefined,
): StoredPassword | null | undefined => {
  if (sealed === null || sealed === undefined) return sealed
  const context = pagePasswordContext(organizationId, id)
  try {
    const passwordHash = sealer.open(sealed.hash, context)
    sealer.open(sealed.digest, context)
    return { passwordHash, passwordDigest: sealed.digest }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw invalid({ field: 'password', message: 'password is not encrypted for the page' })
  }
}
