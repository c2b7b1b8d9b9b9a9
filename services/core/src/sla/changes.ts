/** Changes of service levels, each with a first evaluation, and their definitions. */
import { MAX_SLAS, type NewSla, type SlaPatch } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import {
  type ChangeDrafts,
  type ConfiguredResource,
  definitionEvent,
} from '../configured-resource.ts'
import type { SlaRow } from '../tables.ts'
import { evaluateSlas } from './evaluation.ts'
import { auditSla, changeSla, createSla, SLA_LIMIT, slaFields, validateSlaCount } from './rules.ts'
import * as store from './store.ts'

interface EvaluatedChange extends ChangeDrafts {
  row: SlaRow
}

/** Throws 409 at the maximum number of service levels. */
export const addSla = async (scope: Scope, sla: SlaRow): Promise<EvaluatedChange> => {
  validateSlaCount(await store.lockAndCountSlas(scope))
  const { row, events } = await evaluateOne(scope, sla)
  await store.insertSla(scope, row)
  const created = definitionEvent('sla', row)
  return { row, events: [created, ...events], audit: [auditSla('create', null, row)] }
}

export const updateSla = async (
  scope: Scope,
  before: SlaRow,
  changed: SlaRow,
): Promise<EvaluatedChange> => {
  const { row, events } = await evaluateOne(scope, changed)
  await store.saveSla(scope, row)
  const updated = definitionEvent('sla', row)
  return { row, events: [updated, ...events], audit: [auditSla('update', before, row)] }
}

export const deleteSla = async (scope: Scope, row: SlaRow): Promise<ChangeDrafts> => {
  await store.removeSla(scope, row.id)
  return { events: [definitionEvent('sla', row)], audit: [auditSla('delete', row, row)] }
}

const evaluateOne = async (scope: Scope, row: SlaRow) => {
  const { rows, events } = await evaluateSlas(scope, [row])
  return { row: rows[0] as SlaRow, events }
}

export const slaDefinitions: ConfiguredResource<SlaRow, NewSla, SlaPatch> = {
  list: store.listSlasAfterId,
  lock: store.lockSlas,
  nameOf: ({ name }) => name,
  findNames: store.findSlaNames,
  fieldsOf: slaFields,
  create: (id, body, { organizationId, components, now }) =>
    createSla({ id, organizationId, body, managedByConfig: true }, components, now),
  change: (row, patch, { components, now }) => changeSla(row, patch, components, now),
  limit: { maximum: MAX_SLAS, message: SLA_LIMIT, lockAndCount: store.lockAndCountSlas },
  insert: addSla,
  save: updateSla,
  remove: deleteSla,
}
