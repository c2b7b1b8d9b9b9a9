/** Operations of service levels. */
import {
  listReply,
  notFound,
  orNotFound,
  type Query,
  type Sla,
  type SlaEvaluation,
  type SlaReport,
  slaOperations,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { createRoutes, type Route, rawReply, runCooperatively } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import type { SlaRow } from '../tables.ts'
import { evaluateSlas, historiesOfSla, loadCurrentValues, loadSlaHistories } from './evaluation.ts'
import { measureSla, requiredHistorySpan } from './measurement.ts'
import { buildReport, outagesCsv, reportSpan } from './report.ts'
import { auditSla, changeSla, createSla, presentSla, validateSlaCount } from './rules.ts'
import * as store from './store.ts'

const MAX_REPORTED_INCIDENTS = 1_000

export const slaRoutes: Route[] = createRoutes(slaOperations, {
  list: ({ query, read }) =>
    read(async (scope) => {
      const { rows, total } = await store.listSlas(scope, query)
      return listReply(
        query,
        total,
        rows.map((row) => presentSla(row, row.current)),
      )
    }),

  create: ({ body, change }) =>
    change(async (scope) => {
      const { organizationId, now } = scope
      validateSlaCount(await store.lockAndCountSlas(scope))
      const known = await knownIds(scope, body.componentIds)
      const created = createSla({ id: newId(), organizationId, body }, known, now)
      const { row, events } = await evaluateOne(scope, created)
      await store.insertSla(scope, row)
      const audit = [auditSla('create', null, row)]
      return { result: presentSla(row, row.current), events, audit }
    }),

  read: ({ params, read }) =>
    read(async (scope) => presentNow(scope, await findOne(scope, params.id))),

  update: ({ params, body, change }) =>
    change(async (scope) => {
      const [before] = await store.lockSlas(scope, [params.id])
      if (before === undefined) throw notFound()
      const known = await knownIds(scope, body.componentIds ?? [])
      const after = changeSla(before, body, known, scope.now)
      if (after === before) {
        return { result: await presentNow(scope, before), events: [], audit: [] }
      }
      const { row, events } = await evaluateOne(scope, after)
      await store.saveSla(scope, row)
      const audit = [auditSla('update', before, row)]
      return { result: presentSla(row, row.current), events, audit }
    }),

  remove: ({ params, change }) =>
    change(async (scope) => {
      const [row] = await store.lockSlas(scope, [params.id])
      if (row === undefined) throw notFound()
      await store.removeSla(scope, row.id)
      return { result: successReply, events: [], audit: [auditSla('delete', row, row)] }
    }),

  report: async ({ params, query, read }) => {
    const report = await read((scope) => makeReport(scope, params.id, query))
    if (query.format !== 'csv') return report
    return rawReply({
      contentType: 'text/csv; charset=utf-8; header=present',
      body: outagesCsv(report),
      headers: { 'content-disposition': `attachment; filename="sla-${report.slaId}.csv"` },
    })
  },
})

const knownIds = async (scope: Scope, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await findComponents(scope, ids)).keys())

const findOne = async (scope: Scope, id: string): Promise<SlaRow> =>
  orNotFound(await store.findSla(scope, id))

const presentNow = async (scope: Scope, row: SlaRow): Promise<Sla> => {
  const current = (await loadCurrentValues(scope, [row])).get(row.id)
  return presentSla(row, current as SlaEvaluation)
}

const evaluateOne = async (scope: Scope, row: SlaRow) => {
  const { rows, events } = await evaluateSlas(scope, [row])
  return { row: rows[0] as SlaRow, events }
}

const makeReport = async (
  scope: Scope,
  id: string,
  query: Query<typeof slaOperations.report>,
): Promise<SlaReport> => {
  const sla = await findOne(scope, id)
  const { componentIds } = sla
  const span = reportSpan(sla, query, scope.now)
  const periods = await loadSlaHistories(scope, componentIds, requiredHistorySpan(span, sla))
  const existing = await findComponents(scope, componentIds)
  return buildReport({
    sla,
    span,
    now: scope.now,
    account: await runCooperatively(measureSla(historiesOfSla(sla, periods), sla, span, scope.now)),
    names: new Map([...existing.values()].map((component) => [component.id, component.name])),
    incidents: await store.listIncidentsInSpan(scope, componentIds, span, MAX_REPORTED_INCIDENTS),
  })
}
