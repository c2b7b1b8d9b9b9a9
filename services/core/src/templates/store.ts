/** Templates of incidents and of maintenances in SQL. */
import { conflict, type ListInput } from '@status-page/contracts'
import {
  containsFilter,
  type PipelinedScope,
  resourceTable,
  type Scope,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import type { incidentTemplates, maintenanceTemplates } from '../tables.ts'

/** `nameConstraint` makes names unique within an organization. */
export const templateStore = <Table extends typeof incidentTemplates | typeof maintenanceTemplates>(
  table: Table,
  nameConstraint: string,
) => {
  type Row = Table['$inferSelect']
  const rows = resourceTable(table)

  const refusingDuplicates = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write()
    } catch (error) {
      if (violatedUniqueConstraint(error) !== nameConstraint) throw error
      throw conflict('duplicate', 'A template with this name already exists')
    }
  }

  return {
    ...rows,
    listPage: (scope: PipelinedScope, query: ListInput & { sortBy: keyof Row; search?: string }) =>
      rows.list(scope, query, [containsFilter(table.name, query.search)]),
    findNames: (scope: Scope, names: readonly string[]): Promise<string[]> =>
      rows.findValues(scope, table.name, names),
    insert: (scope: Scope, row: Row) => refusingDuplicates(() => rows.insert(scope, row)),
    save: (scope: Scope, row: Row) => refusingDuplicates(() => rows.save(scope, row)),
  }
}
