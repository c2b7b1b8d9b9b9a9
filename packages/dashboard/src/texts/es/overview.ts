/** Spanish texts of the overview. */
import type { overview as model } from '../en/overview.ts'

export const overview: typeof model = {
  title: 'Resumen',
  updated: 'Actualizado: {time}',
  calm: 'Todos los componentes están operativos',
  disrupted: {
    one: '{count} componente está afectado',
    other: '{count} componentes están afectados',
  },
  noComponents: 'Todavía no hay componentes',
  noComponentsHint:
    'Los componentes son el contenido de su página de estado: servicios, endpoints y métricas.',
  setUp: 'Continuar la configuración',
  none: 'Ninguno',
  clear: 'Nada pendiente',
  incidents: 'Incidentes abiertos',
  overdue: {
    one: '{count} actualización está atrasada',
    other: '{count} actualizaciones están atrasadas',
  },
  updateOverdue: 'Actualización atrasada desde {time}',
  nextUpdate: 'Próxima actualización: {time}',
  since: 'Desde {time}',
  disruptedComponents: 'Componentes afectados',
  alerts: 'Alertas sin confirmar',
  drafts: 'Borradores de incidentes',
  publishes: 'Se publica: {time}',
  notPublished: 'Todavía no publicado',
  publish: 'Publicar',
  veto: 'Descartar',
  maintenances: 'Mantenimientos',
  starts: 'Comienza: {time}',
  ends: 'Termina: {time}',
  deliveries: 'Notificaciones',
  pending: {
    one: '{count} notificación está pendiente',
    other: '{count} notificaciones están pendientes',
  },
  oldestPending: 'La más antigua desde {time}',
  exhausted: {
    one: '{count} notificación falló en 24 horas',
    other: '{count} notificaciones fallaron en 24 horas',
  },
  deliveriesUnknown: 'El servicio de notificaciones no responde.',
  serviceLevels: 'Niveles de servicio',
  breached: 'Incumplido',
  atRisk: 'En riesgo',
  more: { one: '{count} más', other: '{count} más' },
}
