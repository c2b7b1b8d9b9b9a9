/** Operations of variables. */
import { listReply, orNotFound, successReply, variableOperations } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import type { VariableRow } from '../tables.ts'
import { auditVariable, presentVariable, setVariable, variableContext } from './rules.ts'
import * as store from './store.ts'

export const variableRoutes = ({ sealer }: { sealer: Sealer }): Route[] =>
  createRoutes(variableOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listVariables(scope, query))
      return listReply(query, total, rows.map(presentVariable))
    },

    read: async ({ params, read }) =>
      presentVariable(await read((scope) => findOne(scope, params.name))),

    set: ({ params: { name }, body, change }) =>
      change(async (scope) => {
        const { organizationId, now } = scope
        await store.lockVariables(scope)
        const stored = (await store.findVariable(scope, name)) ?? null
        const row = setVariable({
          stored,
          now,
          fresh: { organizationId, id: newId(), name },
          others: await store.countVariables(scope),
          seal: (one) => sealer.seal(body.value, variableContext(one)),
        })
        await store.saveVariable(scope, row)
        const audit = [auditVariable(stored === null ? 'create' : 'update', row)]
        return { result: presentVariable(row), events: [], audit }
      }),

    remove: ({ params, change }) =>
      change(async (scope) => {
        await store.lockVariables(scope)
        const row = await findOne(scope, params.name)
        await store.removeVariable(scope, row.id)
        return { result: successReply, events: [], audit: [auditVariable('delete', row)] }
      }),
  })

const findOne = async (scope: Scope, name: string): Promise<VariableRow> =>
  orNotFound(await store.findVariable(scope, name))
