/** Operations of maintenance templates. */
import {
  listReply,
  maintenanceTemplateOperations,
  orNotFound,
  successReply,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { existingComponentIds } from '../../components/existing-ids.ts'
import { addTemplate, deleteTemplate, updateTemplate } from './changes.ts'
import { changeTemplate, createTemplate, presentTemplate } from './rules.ts'
import { templateRows } from './store.ts'

export const maintenanceTemplateRoutes: Route[] = createRoutes(maintenanceTemplateOperations, {
  list: ({ query, read }) =>
    read(async (scope) => {
      const { rows, total } = await templateRows.listPage(scope, query)
      return listReply(query, total, rows.map(presentTemplate))
    }),

  create: ({ body, change }) =>
    change(async (scope) => {
      const { organizationId, now } = scope
      const known = await existingComponentIds(scope, body.componentIds ?? [])
      const input = { id: newId(), organizationId, body, managedByConfig: false }
      const row = createTemplate(input, known, now)
      return { result: presentTemplate(row), ...(await addTemplate(scope, row)) }
    }),

  read: ({ params, read }) =>
    read(async (scope) => presentTemplate(orNotFound(await templateRows.find(scope, params.id)))),

  update: ({ params, body, change }) =>
    change(async (scope) => {
      const before = orNotFound(await templateRows.lock(scope, params.id))
      const known = await existingComponentIds(scope, body.componentIds ?? [])
      const row = changeTemplate(before, body, known, scope.now)
      const result = presentTemplate(row)
      if (row === before) return { result }
      return { result, ...(await updateTemplate(scope, before, row)) }
    }),

  remove: ({ params, change }) =>
    change(async (scope) => {
      const row = orNotFound(await templateRows.lock(scope, params.id))
      return { result: successReply, ...(await deleteTemplate(scope, row)) }
    }),
})
