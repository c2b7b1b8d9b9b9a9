/**
 * State changes of a component: created, updated, status changed, deleted. Pure; the time is an
 * argument.
 */
import {
  type AuditDraft,
  type ComponentEventData,
  type ComponentPatch,
  type ComponentStatus,
  changesBetween,
  componentCreated,
  componentDeleted,
  componentUpdated,
  conflict,
  type DerivedStatus,
  draftAudit,
  draftEvent,
  type EventDraft,
  invalid,
  type NewComponent,
  type StatusSource,
  type UpstreamSettings,
  type VendorReport,
} from '@status-page/contracts'
import type { ComponentRow } from '../tables.ts'
import {
  buildDefinitionFields,
  type ComponentDefinitionFields,
  changedFields,
} from './definition.ts'
import {
  type EncryptHeader,
  headersOf,
  type ReencryptHeader,
  readableCheck,
  readableHeaders,
  reencryptCheck,
} from './request-headers.ts'
import {
  initialClaims,
  type StatusClaims,
  setManualClaim,
  setMonitorClaim,
  setVendorClaim,
  winningClaim,
} from './status.ts'

export const newComponentRow = (input: {
  id: string
  organizationId: string
  body: NewComponent
  /** `config` when config-sync creates the component. */
  source: 'manual' | 'config'
  seal: EncryptHeader
  now: Date
}): ComponentRow => {
  const { id, organizationId, body, source, seal, now } = input
  const status = body.status ?? 'operational'
  return {
    id,
    organizationId,
    version: 1,
    type: body.type,
    ...buildDefinitionFields(body, { type: body.type }, seal),
    managedByConfig: source === 'config',
    claims: initialClaims(status, source, now),
    status,
    statusSource: source,
    ...unmeasuredFields(now),
  }
}

/** Times of a new component, and its values before the first measurement. */
const unmeasuredFields = (now: Date) => ({
  statusChangedAt: now,
  monitorVersion: 0,
  averageResponseTime: null,
  lastCheckAt: null,
  lastValue: null,
  lastValueAt: null,
  vendorReport: null,
  vendorVersion: 0,
  createdAt: now,
  updatedAt: now,
})

const COPY_SUFFIX = ' (Copy)'
/** Maximum length in code points that leaves room for the suffix. */
const MAX_COPIED_NAME = 93

/**
 * Copies a component without history and checks, disabled; its secrets are encrypted for the new
 * id.
 */
export const copiedComponentRow = (
  row: ComponentRow,
  { id, reencrypt, now }: { id: string; reencrypt: ReencryptHeader; now: Date },
): ComponentRow => ({
  ...row,
  id,
  version: 1,
  name: [...row.name].slice(0, MAX_COPIED_NAME).join('') + COPY_SUFFIX,
  isEnabled: false,
  managedByConfig: false,
  endpoint: reencryptCheck(row.endpoint, reencrypt),
  claims: initialClaims('operational', 'manual', now),
  status: 'operational',
  statusSource: 'manual',
  ...unmeasuredFields(now),
})

export const checkVersion = ({ version }: ComponentRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === version) return
  throw conflict('version_mismatch', `The component is at version ${version}`)
}

/** Applies a PATCH; `fields` is empty and `statusChange` is null when it has no effect. */
export const patchedComponentRow = (input: {
  row: ComponentRow
  patch: ComponentPatch
  seal: EncryptHeader
  now: Date
}): { row: ComponentRow; fields: string[]; statusChange: StatusChange | null } => {
  const { row, patch, seal, now } = input
  if (patch.type !== undefined && patch.type !== row.type) {
    throw invalid({
      field: 'type',
      message: `type cannot be changed from ${row.type}`,
      expected: [row.type],
    })
  }
  const definition = buildDefinitionFields(patch, row, seal)
  const fields = changedFields(row, definition)
  const followed = fields.includes('upstream') ? followUpstream(row, definition.upstream, now) : row
  const statusChange =
    setManualStatus(followed, patch.status, now) ??
    (followed.claims === row.claims ? null : deriveStatus(followed, followed.claims, now))
  if (fields.length === 0) return { row, fields, statusChange }
  const { vendorReport } = followed
  const defined = { ...row, ...definition, vendorReport }
  return { row: { ...defined, version: row.version + 1, updatedAt: now }, fields, statusChange }
}

/**
 * Applies another upstream: the report of another page or component is dropped, and the claim of
 * the vendor is that of the report in the new mode.
 */
const followUpstream = (
  row: ComponentRow,
  upstream: UpstreamSettings | null,
  now: Date,
): ComponentRow => {
  const vendorReport = hasSameVendor(row.upstream, upstream) ? row.vendorReport : null
  const status = mirroredStatus(upstream, vendorReport) ?? 'operational'
  return { ...row, upstream, vendorReport, claims: setVendorClaim(row.claims, status, now) }
}

export const hasSameVendor = (
  left: Pick<UpstreamSettings, 'url' | 'component'> | null,
  right: Pick<UpstreamSettings, 'url' | 'component'> | null,
): boolean => left?.url === right?.url && left?.component === right?.component

/** Status that the component takes from the vendor; null for none. */
const mirroredStatus = (
  upstream: UpstreamSettings | null,
  report: VendorReport | null,
): ComponentStatus | null => {
  if (upstream?.mode !== 'mirror' || report === null || report.status === 'no_data') return null
  return report.status
}

/** Applies a report to a component that mirrors its vendor; null when its claims stay the same. */
export const applyVendorReport = (
  row: ComponentRow,
  report: VendorReport,
  now: Date,
): StatusChange | null => {
  const status = mirroredStatus(row.upstream, report)
  if (status === null) return null
  const claims = setVendorClaim(row.claims, status, now)
  return claims === row.claims ? null : deriveStatus(row, claims, now)
}

/** Changed claims of a component, the status derived from them, and its start. */
export interface StatusChange {
  componentId: string
  claims: StatusClaims
  status: ComponentStatus
  source: StatusSource
  statusChangedAt: Date
  /** Start of the new period of history; null when the displayed status stays the same. */
  since: Date | null
}

/** Derives the displayed status from claims; `from` backdates an outage. */
export const deriveStatus = (
  row: ComponentRow,
  claims: StatusClaims,
  now: Date,
  from = now,
): StatusChange => {
  const { status, source } = winningClaim(claims)
  const isUnchanged = status === row.status && source === row.statusSource
  return {
    componentId: row.id,
    claims,
    status,
    source,
    statusChangedAt: status === row.status ? row.statusChangedAt : from,
    since: isUnchanged ? null : from,
  }
}

/**
 * Applies the derived status of the checks; an outage is backdated to the first result of its run.
 */
export const applyMonitorStatus = (
  row: ComponentRow,
  derived: { status: DerivedStatus; since: Date },
  now: Date,
): StatusChange => {
  const claims = setMonitorClaim(row.claims, derived.status, now)
  const isPast = derived.since < now && derived.since > row.createdAt
  const from = derived.status !== 'operational' && isPast ? derived.since : now
  const isShownByMonitor = winningClaim(claims).source === 'monitor'
  return deriveStatus(row, claims, now, isShownByMonitor ? from : now)
}

/** Null when the status is displayed as a manual one already. */
export const setManualStatus = (
  row: ComponentRow,
  status: ComponentStatus | null | undefined,
  now: Date,
): StatusChange | null => {
  if (status === undefined) return null
  const value = status ?? 'operational'
  const isManual = row.statusSource === 'manual' || row.statusSource === 'config'
  if (isManual && row.status === value) return null
  return deriveStatus(row, setManualClaim(row.claims, value, now), now)
}

export const componentEventData = (
  row: Pick<ComponentRow, 'id' | 'type' | keyof ComponentDefinitionFields>,
  ancestorIds: readonly string[],
): ComponentEventData => {
  const { id, name, type, isEnabled, isMuted, parentComponentId, dependsOn } = row
  const summary = { id, name, type, isEnabled, isMuted, parentComponentId }
  const followed = type === 'SERVICE' ? { upstream: row.upstream } : {}
  const dependencies = dependsOn.length === 0 ? {} : { dependsOn }
  const common = {
    ...summary,
    ...followed,
    ...dependencies,
    ancestorIds: [...ancestorIds],
    metric: row.metric,
  }
  if (row.endpoint === null) return { ...common, endpoint: null }
  const { autoCreateIncident: _opens, autoResolve: _resolves, ...endpoint } = row.endpoint
  return { ...common, endpoint }
}

const kinds = {
  created: componentCreated,
  updated: componentUpdated,
  deleted: componentDeleted,
}

export const componentEvent = (
  verb: keyof typeof kinds,
  row: ComponentRow,
  ancestorIds: readonly string[],
): EventDraft => draftEvent(kinds[verb], row, { component: componentEventData(row, ancestorIds) })

/**
 * Audit entry of a component. Secrets are redacted, so a changed secret appears as a change to the
 * same text.
 */
export const auditComponent = (
  verb: 'create' | 'update' | 'delete',
  before: ComponentRow | null,
  after: ComponentRow | null,
): AuditDraft => {
  const row = (after ?? before) as ComponentRow
  const changes = after === null ? {} : { ...newSecrets(before, after), ...changed(before, after) }
  return draftAudit(`component.${verb}`, row, changes)
}

const changed = (before: ComponentRow | null, after: ComponentRow) =>
  changesBetween(before === null ? null : auditable(before), auditable(after))

const newSecrets = (before: ComponentRow | null, after: ComponentRow) => {
  if (before === null) return {}
  const [stored, given] = [headersOf(before.endpoint), headersOf(after.endpoint)]
  if (JSON.stringify(stored) === JSON.stringify(given)) return {}
  return { headers: { from: readableHeaders(stored), to: readableHeaders(given) } }
}

const auditable = (row: ComponentRow): Record<string, unknown> => {
  const { name, type, status, description, isEnabled, isMuted, parentComponentId } = row
  const { dependsOn, icon, showIconOnStatusPage, order, endpoint, metric, upstream } = row
  return {
    name,
    type,
    status,
    description,
    isEnabled,
    isMuted,
    parentComponentId,
    dependsOn,
    icon,
    showIconOnStatusPage,
    order,
    ...readableCheck(endpoint),
    ...metric,
    ...(type === 'SERVICE' ? { upstream } : {}),
  }
}
