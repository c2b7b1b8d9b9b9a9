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
import { existingComponentIds } from '../components/existing-ids.ts'
import { findComponents } from '../components/store.ts'
import type { SlaRow } from '../tables.ts'
import { addSla, deleteSla, updateSla } from './changes.ts'
import { historiesOfSla, loadCurrentValues, loadSlaHistories } from './evaluation.ts'
import { measureSla, requiredHistorySpan } from './measurement.ts'
import { buildReport, outagesCsv, reportSpan } from './report.ts'
import { changeSla, createSla, presentSla } from './rules.ts'
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
      const known = await existingComponentIds(scope, body.componentIds)
      const input = { id: newId(), organizationId, body, managedByConfig: false }
      const { row, ...drafts } = await addSla(scope, createSla(input, known, now))
      return { result: presentSla(row, row.current), ...drafts }
    }),

  read: ({ params, read }) =>
    read(async (scope) => presentNow(scope, await findOne(scope, params.id))),

  update: ({ params, body, change }) =>
    change(async (scope) => {
      const [before] = await store.lockSlas(scope, [params.id])
      if (before === undefined) throw notFound()
      const known = await existingComponentIds(scope, body.componentIds ?? [])
      const after = changeSla(before, body, known, scope.now)
      if (after === before) {
        return { result: await presentNow(scope, before) }
      }
      const { row, ...drafts } = await updateSla(scope, before, after)
      return { result: presentSla(row, row.current), ...drafts }
    }),

  remove: ({ params, change }) =>
    change(async (scope) => {
      const [row] = await store.lockSlas(scope, [params.id])
      if (row === undefined) throw notFound()
      return { result: successReply, ...(await deleteSla(scope, row)) }
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

const findOne = async (scope: Scope, id: string): Promise<SlaRow> =>
  orNotFound(await store.findSla(scope, id))

const presentNow = async (scope: Scope, row: SlaRow): Promise<Sla> => {
  const current = (await loadCurrentValues(scope, [row])).get(row.id)
  return presentSla(row, current as SlaEvaluation)
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
    measurement: await runCooperatively(
      measureSla(historiesOfSla(sla, periods), sla, span, scope.now),
    ),
    names: new Map([...existing.values()].map((component) => [component.id, component.name])),
    incidents: await store.listIncidentsInSpan(scope, componentIds, span, MAX_REPORTED_INCIDENTS),
  })
}
