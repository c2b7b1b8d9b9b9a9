/** Incident templates in SQL. */
import { incidentTemplates } from '../../tables.ts'
import { templateStore } from '../../templates/store.ts'

export const templateRows = templateStore(incidentTemplates, 'incident_templates_name')
