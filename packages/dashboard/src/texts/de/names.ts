/** German names of statuses, impacts and severities. */
import type { names as model } from '../en/names.ts'

export const names: typeof model = {
  components: {
    operational: 'In Betrieb',
    degraded_performance: 'Beeinträchtigte Leistung',
    partial_outage: 'Teilausfall',
    major_outage: 'Ausfall',
    under_maintenance: 'In Wartung',
  },
  incidents: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  maintenances: {
    scheduled: 'Geplant',
    in_progress: 'Läuft',
    verifying: 'Wird geprüft',
    completed: 'Abgeschlossen',
    cancelled: 'Abgesagt',
  },
  impacts: { minor: 'Gering', major: 'Erheblich', critical: 'Kritisch' },
  severities: { critical: 'Kritisch', warning: 'Warnung' },
}
