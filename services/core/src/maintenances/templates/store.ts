/** Maintenance templates in SQL. */
import { conflict, type maintenanceTemplateOperations, type Query } from '@status-page/contracts'
import { resourceTable, type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { type MaintenanceTemplateRow, maintenanceTemplates } from '../../tables.ts'

const table = resourceTable(maintenanceTemplates)

export const {
  find: findTemplate,
  lock: lockTemplate,
  lockAll: lockTemplates,
  listAfterId: listTemplatesAfterId,
  remove: removeTemplate,
} = table

export const findTemplateNames = (scope: Scope, names: readonly string[]): Promise<string[]> =>
  table.findValues(scope, maintenanceTemplates.name, names)

type ListQuery = Query<typeof maintenanceTemplateOperations.list>

export const listTemplates = (scope: Scope, query: ListQuery) => {
  const { search } = query
  const isFound = sql`strpos(lower(${maintenanceTemplates.name}), lower(${search})) > 0`
  return table.list(scope, query, search === undefined ? [] : [isFound])
}

export const insertTemplate = (scope: Scope, row: MaintenanceTemplateRow): Promise<void> =>
  refusingDuplicates(() => table.insert(scope, row))

export const saveTemplate = (scope: Scope, row: MaintenanceTemplateRow): Promise<void> =>
  refusingDuplicates(() => table.save(scope, row))

const refusingDuplicates = async (write: () => Promise<void>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'maintenance_templates_name') throw error
    throw conflict('duplicate', 'A template with this name already exists')
  }
}
