/** Creates the page of an import, or adds new components to that of an earlier one. */
import {
  type AuditDraft,
  conflict,
  type EventDraft,
  type StatuspageReport,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { pageUrl } from '../status-pages/settings/links.ts'
import { auditPage, changePage, createPage, pageEvent } from '../status-pages/settings/rules.ts'
import { insertPage, lockPage, savePage } from '../status-pages/settings/store.ts'
import type { ComponentRow, StatusPageRow } from '../tables.ts'
import { type DownloadedLogos, storeLogos } from './logos.ts'
import { pageEntries } from './page-entries.ts'
import type { ImportedDocuments } from './source/documents.ts'
import type { SourcePageInput } from './source/page.ts'
import * as store from './store.ts'

export interface PageDeps {
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
}

export interface NewPageOptions {
  isPublished: boolean
  /** In the order of preference. */
  slugs: readonly string[]
  takenSlugs: ReadonlySet<string>
  logos: DownloadedLogos
}

interface PageImport {
  documents: ImportedDocuments
  /** Imported components that exist, by their id at the source. */
  components: ReadonlyMap<string, ComponentRow>
  /** Ids at the source of components that this import created. */
  createdIds: ReadonlySet<string>
  newPage: NewPageOptions
  dryRun: boolean
}

interface ImportedPage {
  report: StatuspageReport['page']
  events: EventDraft[]
  audit: AuditDraft[]
}

const noPage: ImportedPage = { report: null, events: [], audit: [] }

export const importPage = async (
  scope: store.ImportScope,
  deps: PageDeps,
  given: PageImport,
): Promise<ImportedPage> => {
  const { page } = given.documents
  if (page === null) return noPage
  const imported = await store.findImportedRecords(scope, 'page', [page.sourceId])
  const id = imported.get(page.sourceId)?.recordId
  if (id === undefined) return createImportedPage(scope, deps, page, given)
  const existing = await lockPage(scope, id)
  // A page that was deleted after its import stays deleted.
  return existing === undefined ? noPage : extendPage(scope, deps, existing, given)
}

const createImportedPage = async (
  scope: store.ImportScope,
  { baseUrl, ownHost }: PageDeps,
  { sourceId, name, settings }: SourcePageInput,
  { documents, components, newPage, dryRun }: PageImport,
): Promise<ImportedPage> => {
  const slug = freeSlug(newPage)
  if (slug !== newPage.slugs[0]) {
    const message = `is ${slug}, since another page has the slug ${newPage.slugs[0]}`
    documents.warnings.unshift({ field: 'page', message })
  }
  const { isPublished } = newPage
  const report = { id: null, name, slug, url: pageUrl(baseUrl, slug), isPublished, isNew: true }
  if (dryRun) return { ...noPage, report }
  const { organizationId, now } = scope
  const logos = await storeLogos(scope, newPage.logos, baseUrl)
  documents.warnings.unshift(...logos.warnings)
  const entries = pageEntries(documents.components, components, 0)
  const row = createPage(
    {
      id: newId(),
      organizationId,
      body: { ...settings, ...logos.urls, name, slug, isPublished, components: entries },
      managedByConfig: false,
    },
    { known: idsOf(components), password: undefined, ownHost, now },
  )
  await insertPage(scope, row)
  await store.saveImportedRecords(scope, 'page', [{ sourceId, recordId: row.id, updateIds: [] }])
  return {
    report: { ...report, id: row.id },
    events: [pageEvent('created', row, baseUrl)],
    audit: [...logos.audit, auditPage('create', null, row)],
  }
}

const freeSlug = ({ slugs, takenSlugs }: NewPageOptions): string => {
  const free = slugs.find((slug) => !takenSlugs.has(slug))
  if (free === undefined) throw conflict('duplicate', 'The slug is already in use')
  return free
}

/** Adds the new components to a page that lists its components. */
const extendPage = async (
  scope: Scope,
  { baseUrl, ownHost }: PageDeps,
  before: StatusPageRow,
  { documents, components, createdIds, dryRun }: PageImport,
): Promise<ImportedPage> => {
  const { id, name, slug, isPublished } = before
  const report = { id, name, slug, url: pageUrl(baseUrl, slug), isPublished, isNew: false }
  const created = new Map([...components].filter(([sourceId]) => createdIds.has(sourceId)))
  const added = pageEntries(documents.components, created, before.components.length)
  if (dryRun || before.components.length === 0 || added.length === 0) return { ...noPage, report }
  const after = changePage(
    before,
    { components: [...before.components, ...added] },
    { known: idsOf(components), password: undefined, ownHost, now: scope.now },
  )
  await savePage(scope, after)
  return {
    report,
    events: [pageEvent('updated', after, baseUrl)],
    audit: [auditPage('update', before, after)],
  }
}

const idsOf = (components: ReadonlyMap<string, ComponentRow>): Set<string> =>
  new Set([...components.values()].map(({ id }) => id))
