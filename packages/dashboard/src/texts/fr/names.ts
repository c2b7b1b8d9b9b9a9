/** French names of statuses, impacts and severities. */
import type { names as model } from '../en/names.ts'

export const names: typeof model = {
  components: {
    operational: 'Opérationnel',
    degraded_performance: 'Performances dégradées',
    partial_outage: 'Panne partielle',
    major_outage: 'Panne majeure',
    under_maintenance: 'En maintenance',
  },
  incidents: {
    investigating: 'En cours d’analyse',
    identified: 'Cause identifiée',
    monitoring: 'Sous surveillance',
    resolved: 'Résolu',
  },
  maintenances: {
    scheduled: 'Planifiée',
    in_progress: 'En cours',
    verifying: 'En vérification',
    completed: 'Terminée',
    cancelled: 'Annulée',
  },
  impacts: { minor: 'Mineur', major: 'Majeur', critical: 'Critique' },
  severities: { critical: 'Critique', warning: 'Avertissement' },
}
