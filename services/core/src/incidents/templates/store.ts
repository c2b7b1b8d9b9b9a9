/** Incident templates in SQL. */
import {
  conflict,
  type incidentTemplateOperations,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { and, asc, count, desc, eq, sql } from 'drizzle-orm'
import { type IncidentTemplateRow, incidentTemplates } from '../../tables.ts'

const inOrganization = ({ organizationId }: Scope) =>
  eq(incidentTemplates.organizationId, organizationId)

type ListQuery = Query<typeof incidentTemplateOperations.list>

export const listTemplates = async (scope: Scope, query: ListQuery) => {
  const { search } = query
  const found = sql`strpos(lower(${incidentTemplates.name}), lower(${search})) > 0`
  const where = and(inOrganization(scope), search === undefined ? undefined : found)
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(incidentTemplates)
    .where(where)
    .orderBy(direction(incidentTemplates[query.sortBy]), direction(incidentTemplates.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(incidentTemplates).where(where)
  return { rows, total: counted?.total ?? 0 }
}

export const findTemplate = async (
  scope: Scope,
  id: string,
): Promise<IncidentTemplateRow | undefined> => {
  const [row] = await selected(scope, id)
  return row
}

export const lockTemplate = async (
  scope: Scope,
  id: string,
): Promise<IncidentTemplateRow | undefined> => {
  const [row] = await selected(scope, id).for('update')
  return row
}

const selected = (scope: Scope, id: string) =>
  scope.tx
    .select()
    .from(incidentTemplates)
    .where(and(inOrganization(scope), eq(incidentTemplates.id, id)))

export const insertTemplate = (scope: Scope, row: IncidentTemplateRow): Promise<void> =>
  refusingDuplicates(async () => {
    await scope.tx.insert(incidentTemplates).values(row)
  })

export const saveTemplate = (scope: Scope, row: IncidentTemplateRow): Promise<void> =>
  refusingDuplicates(async () => {
    await scope.tx
      .update(incidentTemplates)
      .set(row)
      .where(and(inOrganization(scope), eq(incidentTemplates.id, row.id)))
  })

export const removeTemplate = async (
  scope: Scope,
  id: string,
): Promise<IncidentTemplateRow | undefined> => {
  const [row] = await scope.tx
    .delete(incidentTemplates)
    .where(and(inOrganization(scope), eq(incidentTemplates.id, id)))
    .returning()
  return row
}

const refusingDuplicates = async (write: () => Promise<void>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'incident_templates_name') throw error
    throw conflict('duplicate', 'A template with this name already exists')
  }
}
