/** Spanish names of statuses, impacts and severities. */
import type { names as model } from '../en/names.ts'

export const names: typeof model = {
  components: {
    operational: 'Operativo',
    degraded_performance: 'Rendimiento degradado',
    partial_outage: 'Interrupción parcial',
    major_outage: 'Interrupción grave',
    under_maintenance: 'En mantenimiento',
  },
  incidents: {
    investigating: 'En investigación',
    identified: 'Causa identificada',
    monitoring: 'En observación',
    resolved: 'Resuelto',
  },
  maintenances: {
    scheduled: 'Programado',
    in_progress: 'En curso',
    verifying: 'En verificación',
    completed: 'Completado',
    cancelled: 'Cancelado',
  },
  impacts: { minor: 'Menor', major: 'Mayor', critical: 'Crítico' },
  severities: { critical: 'Crítica', warning: 'Advertencia' },
}
