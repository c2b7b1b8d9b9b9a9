/** Maintenance templates in SQL. */
import { maintenanceTemplates } from '../../tables.ts'
import { templateStore } from '../../templates/store.ts'

export const templateRows = templateStore(maintenanceTemplates, 'maintenance_templates_name')
