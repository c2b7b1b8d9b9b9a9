/** Loads and removes the sample data, each in one transaction. */
import {
  type AuditDraft,
  conflict,
  type EventDraft,
  isMaintenanceActive,
  notFound,
  type Outcome,
  type SampleData,
  type StatuspageDocuments,
  successReply,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { deleteComponent, type EndedChecks } from '../../components/changes.ts'
import { findComponents, lockComponentTree, subtreeIds } from '../../components/store.ts'
import type { ChangeDrafts } from '../../configured-resource.ts'
import { deleteIncident } from '../../incidents/changes.ts'
import { lockIncident } from '../../incidents/store.ts'
import { deleteTemplate } from '../../incidents/templates/changes.ts'
import { templateRows } from '../../incidents/templates/store.ts'
import { cancelMaintenance } from '../../maintenances/changes.ts'
import { lockMaintenance } from '../../maintenances/store.ts'
import { deletePage, type PageChangeDeps } from '../../status-pages/changes.ts'
import { pageUrl } from '../../status-pages/settings/links.ts'
import { findPages, lockPage } from '../../status-pages/settings/store.ts'
import type { ImportedKind } from '../../tables.ts'
import { importDocuments, type StatuspageImportDeps } from '../changes.ts'
import { noLogos } from '../logos.ts'
import type { ConvertedTexts } from '../source/normalizer.ts'
import * as store from './store.ts'

export interface SampleDeps extends StatuspageImportDeps, PageChangeDeps {
  endedChecks: EndedChecks
}

export const readSample = async (
  scope: Scope,
  { baseUrl }: Pick<SampleDeps, 'baseUrl'>,
): Promise<SampleData> => {
  const records = await store.listSampleRecords(scope)
  const [page] = await findPages(scope, idsOf(records, 'page'))
  const components = await findComponents(scope, idsOf(records, 'component'))
  return {
    loadedAt: records[0]?.importedAt.toISOString() ?? null,
    statusPage:
      page === undefined
        ? null
        : { id: page.id, name: page.name, url: pageUrl(baseUrl, page.slug) },
    componentCount: components.size,
  }
}

export interface SampleInput {
  documents: StatuspageDocuments
  texts: ConvertedTexts
  /** Slugs that the page may get, in the order of preference. */
  slugs: readonly string[]
  takenSlugs: ReadonlySet<string>
}

export const loadSample = async (
  scope: Scope,
  deps: SampleDeps,
  { documents, texts, slugs, takenSlugs }: SampleInput,
): Promise<Outcome<SampleData>> => {
  await lockComponentTree(scope)
  if ((await store.listSampleRecords(scope)).length > 0) {
    throw conflict('duplicate', 'Sample data are already loaded')
  }
  const newPage = { isPublished: true, slugs, takenSlugs, logos: noLogos }
  const input = { documents, texts, dryRun: false, newPage }
  const { events, audit } = await importDocuments({ ...scope, source: 'sample' }, deps, input)
  const records = await store.listSampleRecords(scope)
  await store.deactivateMaintenances(scope, idsOf(records, 'maintenance'))
  const result = await readSample(scope, deps)
  return { result, events, audit: [...audit, auditOf(scope, 'load')] }
}

export const removeSample = async (
  scope: Scope,
  deps: SampleDeps,
): Promise<Outcome<typeof successReply>> => {
  await lockComponentTree(scope)
  const records = await store.listSampleRecords(scope)
  if (records.length === 0) throw notFound()
  await refuseForeignComponents(scope, idsOf(records, 'component'))
  const events: EventDraft[] = []
  const audit: AuditDraft[] = []
  const add = (drafts: ChangeDrafts) => {
    events.push(...drafts.events)
    audit.push(...drafts.audit)
  }
  for (const id of idsOf(records, 'incident')) {
    const state = await lockIncident(scope, id)
    if (state !== undefined) add(await deleteIncident(scope, state, deps.baseUrl))
  }
  add(await removeMaintenances(scope, idsOf(records, 'maintenance'), deps.baseUrl))
  for (const id of idsOf(records, 'incident_template')) {
    const row = await templateRows.lock(scope, id)
    if (row !== undefined) add(await deleteTemplate(scope, row))
  }
  for (const id of idsOf(records, 'page')) {
    const row = await lockPage(scope, id)
    if (row !== undefined) add(await deletePage(scope, row, deps))
  }
  for (const id of idsOf(records, 'component')) {
    // A component below another one of the sample data is deleted with that.
    const isPresent = (await findComponents(scope, [id])).size > 0
    if (isPresent) add(await deleteComponent(scope, id, deps))
  }
  await store.removeSampleRecords(scope)
  return { result: successReply, events, audit: [...audit, auditOf(scope, 'remove')] }
}

const removeMaintenances = async (
  scope: Scope,
  ids: readonly string[],
  baseUrl: string,
): Promise<ChangeDrafts> => {
  const events: EventDraft[] = []
  const audit: AuditDraft[] = []
  for (const id of ids) {
    const state = await lockMaintenance(scope, id)
    if (state === undefined || !isMaintenanceActive(state.maintenance)) continue
    const cancelled = await cancelMaintenance(scope, state, baseUrl)
    events.push(...cancelled.events)
    audit.push(...cancelled.audit)
  }
  await store.removeMaintenances(scope, ids)
  return { events, audit }
}

/** Deleting a component deletes those below it: a component of the user must be moved before. */
const refuseForeignComponents = async (scope: Scope, ids: readonly string[]): Promise<void> => {
  const own = new Set(ids)
  for (const id of ids) {
    const foreign = (await subtreeIds(scope, id)).find((below) => !own.has(below))
    if (foreign === undefined) continue
    const row = (await findComponents(scope, [foreign])).get(foreign)
    throw conflict(
      'in_use',
      `The component ${row?.name ?? foreign} is below a component of the sample data: move it first`,
    )
  }
}

const idsOf = (
  records: readonly { kind: ImportedKind; recordId: string }[],
  kind: ImportedKind,
): string[] => records.filter((record) => record.kind === kind).map(({ recordId }) => recordId)

const auditOf = ({ organizationId }: Scope, verb: 'load' | 'remove'): AuditDraft => ({
  action: `sample-data.${verb}`,
  entityType: 'organization',
  entityId: organizationId,
  entityName: null,
  changes: {},
})
