/** Creates the components of an import, and finds those of earlier ones. */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { headerEncrypter } from '../components/request-headers.ts'
import {
  auditComponent,
  componentEvent,
  newComponentRow,
  type StatusChange,
  setManualStatus,
} from '../components/rules.ts'
import { ancestorsOf, findComponents, insertComponent, saveStatuses } from '../components/store.ts'
import type { ComponentRow } from '../tables.ts'
import type { SourceComponentInput } from './source/components.ts'
import type { ImportedDocuments } from './source/documents.ts'
import * as store from './store.ts'

export interface CreatedComponents {
  /** Components by their id at the source. */
  rows: Map<string, ComponentRow>
  events: EventDraft[]
  audit: AuditDraft[]
}

export const noneCreated: CreatedComponents = { rows: new Map(), events: [], audit: [] }

/**
 * Creates parents first; a group from an earlier import is reused if it still exists. Those of
 * `inMaintenance` are created operational: their maintenance sets its claim later.
 */
export const createComponents = async (
  scope: store.ImportScope,
  sealer: Sealer,
  {
    created,
    inMaintenance,
  }: { created: readonly SourceComponentInput[]; inMaintenance: ReadonlySet<string> },
): Promise<CreatedComponents> => {
  const parents = await importedComponents(
    scope,
    created.flatMap(({ parentSourceId }) => parentSourceId ?? []),
  )
  const above = await ancestorsOf(
    scope,
    [...parents.values()].map(({ id }) => id),
  )
  const result: CreatedComponents = { rows: new Map(), events: [], audit: [] }
  const changes: StatusChange[] = []
  for (const component of created) {
    const { sourceId, parentSourceId } = component
    const status = inMaintenance.has(sourceId) ? 'operational' : component.status
    const parent = result.rows.get(parentSourceId ?? '') ?? parents.get(parentSourceId ?? '')
    const parentComponentId = parent?.id ?? null
    const operational = componentRow(scope, sealer, component, parentComponentId)
    await insertComponent(scope, operational)
    const change = setManualStatus(operational, status, scope.now)
    if (change !== null) changes.push(change)
    const row = change === null ? operational : withStatus(operational, change)
    result.rows.set(sourceId, row)
    const grandparents = (above.get(parentComponentId ?? '') ?? []).map((ancestor) => ancestor.id)
    const ancestorIds = parentComponentId === null ? [] : [parentComponentId, ...grandparents]
    result.events.push(componentEvent('created', row, ancestorIds))
    result.audit.push(auditComponent('create', null, row))
  }
  await saveStatuses(scope, changes)
  const records = [...result.rows].map(([sourceId, { id }]) => ({
    sourceId,
    recordId: id,
    updateIds: [],
  }))
  await store.saveImportedRecords(scope, 'component', records)
  return result
}

/** Row that is operational since the start of its history at the source. */
const componentRow = (
  { organizationId, now }: Scope,
  sealer: Sealer,
  { name, description, order, since }: SourceComponentInput,
  parentComponentId: string | null,
): ComponentRow => {
  const id = newId()
  const row = newComponentRow({
    id,
    organizationId,
    source: 'manual',
    now: since,
    body: { type: 'SERVICE', name, description, order, parentComponentId },
    seal: headerEncrypter(sealer, organizationId, id),
  })
  return { ...row, updatedAt: now }
}

const withStatus = (
  row: ComponentRow,
  { claims, status, source: statusSource, statusChangedAt }: StatusChange,
): ComponentRow => ({ ...row, claims, status, statusSource, statusChangedAt })

/** Components of earlier imports that still exist. */
const importedComponents = async (
  scope: store.ImportScope,
  sourceIds: readonly string[],
): Promise<Map<string, ComponentRow>> => {
  const imported = await store.findImportedRecords(scope, 'component', [...new Set(sourceIds)])
  const rows = await findComponents(
    scope,
    [...imported.values()].map(({ recordId }) => recordId),
  )
  return new Map(
    [...imported].flatMap(([sourceId, { recordId }]) => {
      const row = rows.get(recordId)
      return row === undefined ? [] : [[sourceId, row] as const]
    }),
  )
}

/** Components that the documents reference, from this import or an earlier one. */
export const referencedComponents = async (
  scope: store.ImportScope,
  { components, incidents, maintenances, templates }: ImportedDocuments,
): Promise<ReadonlyMap<string, ComponentRow>> =>
  importedComponents(scope, [
    ...components.map(({ sourceId }) => sourceId),
    ...[...incidents, ...maintenances, ...templates].flatMap((item) => item.componentSourceIds),
  ])
