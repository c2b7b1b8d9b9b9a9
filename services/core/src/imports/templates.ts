/** Creates the incident templates of an import. */
import type { AuditDraft } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { addTemplate } from '../incidents/templates/changes.ts'
import { createTemplate } from '../incidents/templates/rules.ts'
import { templateRows } from '../incidents/templates/store.ts'
import { truncateText } from './source/plain-text.ts'
import type { SourceTemplateInput } from './source/templates.ts'
import * as store from './store.ts'

const MAX_NAME = 100

/** Name with the id at the source, for a template whose name another one has. */
const distinctName = ({ name, sourceId }: SourceTemplateInput): string => {
  const suffix = ` (${sourceId})`
  return `${truncateText(name, MAX_NAME - suffix.length)}${suffix}`
}

export const createTemplates = async (
  scope: store.ImportScope,
  created: readonly SourceTemplateInput[],
  components: ReadonlyMap<string, { id: string }>,
): Promise<AuditDraft[]> => {
  const { organizationId, now } = scope
  const names = created.map(({ name }) => name)
  const taken = new Set(await templateRows.findNames(scope, names))
  const audit: AuditDraft[] = []
  for (const template of created) {
    const { title, message, status, componentSourceIds } = template
    const name = taken.has(template.name) ? distinctName(template) : template.name
    taken.add(name)
    const componentIds = componentSourceIds.flatMap((id) => components.get(id)?.id ?? [])
    const body = { name, title, message, status, componentIds }
    const row = createTemplate({ id: newId(), organizationId, body, managedByConfig: false }, now)
    audit.push(...(await addTemplate(scope, row)).audit)
    await store.saveImportedRecords(scope, 'incident_template', [
      { sourceId: template.sourceId, recordId: row.id, updateIds: [] },
    ])
  }
  return audit
}
