/** Operations of incident templates. */
import {
  type IncidentTemplatePatch,
  incidentTemplateOperations,
  listReply,
  orNotFound,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { existingComponentIds } from '../../components/existing-ids.ts'
import { addTemplate, deleteTemplate, updateTemplate } from './changes.ts'
import {
  changeTemplate,
  createTemplate,
  presentTemplate,
  referencedComponentIds,
  validateComponents,
} from './rules.ts'
import { templateRows } from './store.ts'

export const incidentTemplateRoutes: Route[] = createRoutes(incidentTemplateOperations, {
  list: ({ query, read }) =>
    read(async (scope) => {
      const { rows, total } = await templateRows.listPage(scope, query)
      return listReply(query, total, rows.map(presentTemplate))
    }),

  create: ({ body, change }) =>
    change(async (scope) => {
      await checkBody(scope, body, [])
      const { organizationId, now } = scope
      const row = createTemplate({ id: newId(), organizationId, body, managedByConfig: false }, now)
      return { result: presentTemplate(row), ...(await addTemplate(scope, row)) }
    }),

  read: ({ params, read }) =>
    read(async (scope) => presentTemplate(orNotFound(await templateRows.find(scope, params.id)))),

  update: ({ params, body, change }) =>
    change(async (scope) => {
      const before = orNotFound(await templateRows.lock(scope, params.id))
      await checkBody(scope, body, referencedComponentIds(before))
      const row = changeTemplate(before, body, scope.now)
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

/** Rejects unknown components; stored ids are accepted after their component was deleted. */
const checkBody = async (
  scope: Scope,
  body: IncidentTemplatePatch,
  stored: readonly string[],
): Promise<void> => {
  const live = await existingComponentIds(scope, referencedComponentIds(body))
  validateComponents(body, new Set([...live, ...stored]))
}
