/** Changes of templates of incidents and of maintenances, each with its audit entry. */
import type { Scope } from '@status-page/postgres'
import type { ChangeDrafts, definitionDrafts } from '../configured-resource.ts'

interface TemplateRows<Row> {
  insert(scope: Scope, row: Row): Promise<void>
  save(scope: Scope, row: Row): Promise<void>
  remove(scope: Scope, id: string): Promise<unknown>
}

export const templateChanges = <Row extends { id: string }>(
  rows: TemplateRows<Row>,
  draftsOf: ReturnType<typeof definitionDrafts<Row>>,
) => ({
  async add(scope: Scope, row: Row): Promise<ChangeDrafts> {
    await rows.insert(scope, row)
    return draftsOf('create', null, row)
  },
  async update(scope: Scope, before: Row, row: Row): Promise<ChangeDrafts> {
    await rows.save(scope, row)
    return draftsOf('update', before, row)
  },
  async remove(scope: Scope, row: Row): Promise<ChangeDrafts> {
    await rows.remove(scope, row.id)
    return draftsOf('delete', row, row)
  },
})
