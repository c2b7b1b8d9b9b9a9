/** Operations of incident templates. */
import {
  type IncidentTemplatePatch,
  incidentTemplateOperations,
  listReply,
  notFound,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { existingComponentIds } from '../../components/existing-ids.ts'
import type { IncidentTemplateRow } from '../../tables.ts'
import { addTemplate, deleteTemplate, updateTemplate } from './changes.ts'
import {
  changeTemplate,
  createTemplate,
  presentTemplate,
  referencedComponentIds,
  validateComponents,
} from './rules.ts'
import * as store from './store.ts'

export const incidentTemplateRoutes: Route[] = createRoutes(incidentTemplateOperations, {
  list: ({ query, read }) =>
    read(async (scope) => {
      const { rows, total } = await store.listTemplates(scope, query)
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
    read(async (scope) => presentTemplate(found(await store.findTemplate(scope, params.id)))),

  update: ({ params, body, change }) =>
    change(async (scope) => {
      const before = found(await store.lockTemplate(scope, params.id))
      await checkBody(scope, body, referencedComponentIds(before))
      const row = changeTemplate(before, body, scope.now)
      const result = presentTemplate(row)
      if (row === before) return { result }
      return { result, ...(await updateTemplate(scope, before, row)) }
    }),

  remove: ({ params, change }) =>
    change(async (scope) => {
      const row = found(await store.lockTemplate(scope, params.id))
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

const found = (row: IncidentTemplateRow | undefined): IncidentTemplateRow => {
  if (row === undefined) throw notFound()
  return row
}
