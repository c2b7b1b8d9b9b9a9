/** Incident templates in SQL. */
import { conflict, type incidentTemplateOperations, type Query } from '@status-page/contracts'
import { resourceTable, type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { type IncidentTemplateRow, incidentTemplates } from '../../tables.ts'

const table = resourceTable(incidentTemplates)

export const {
  find: findTemplate,
  lock: lockTemplate,
  lockAll: lockTemplates,
  listAfterId: listTemplatesAfterId,
  remove: removeTemplate,
} = table

export const findTemplateNames = (scope: Scope, names: readonly string[]): Promise<string[]> =>
  table.findValues(scope, incidentTemplates.name, names)

type ListQuery = Query<typeof incidentTemplateOperations.list>

export const listTemplates = (scope: Scope, query: ListQuery) => {
  const { search } = query
  const isFound = sql`strpos(lower(${incidentTemplates.name}), lower(${search})) > 0`
  return table.list(scope, query, search === undefined ? [] : [isFound])
}

export const insertTemplate = (scope: Scope, row: IncidentTemplateRow): Promise<void> =>
  refusingDuplicates(() => table.insert(scope, row))

export const saveTemplate = (scope: Scope, row: IncidentTemplateRow): Promise<void> =>
  refusingDuplicates(() => table.save(scope, row))

const refusingDuplicates = async (write: () => Promise<void>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'incident_templates_name') throw error
    throw conflict('duplicate', 'A template with this name already exists')
  }
}
