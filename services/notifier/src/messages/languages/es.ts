/** Spanish. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const es: Language = {
  tag: 'es',
  direction: 'ltr',
  titled: (headline, title) => `${headline}: ${title}`,
  incidentStatuses: {
    investigating: 'En investigación',
    identified: 'Causa identificada',
    monitoring: 'En observación',
    resolved: 'Resuelto',
  },
  impacts: { minor: 'Menor', major: 'Mayor', critical: 'Crítico' },
  maintenanceStatuses: {
    scheduled: 'Programado',
    in_progress: 'En curso',
    verifying: 'En verificación',
    completed: 'Terminado',
    cancelled: 'Cancelado',
  },
  maintenanceNews: {
    cancelled: 'Mantenimiento cancelado',
    rescheduled: 'Mantenimiento reprogramado',
  },
  componentStatuses: {
    operational: 'Operativo',
    degraded_performance: 'Rendimiento degradado',
    partial_outage: 'Interrupción parcial',
    major_outage: 'Interrupción grave',
    under_maintenance: 'En mantenimiento',
  },
  headlines: {
    'incident.reopened': 'Reabierto',
    'maintenance.scheduled': 'Mantenimiento programado',
    'maintenance.started': 'Mantenimiento iniciado',
    'maintenance.completed': 'Mantenimiento terminado',
    'maintenance.reminder': 'El mantenimiento comienza pronto',
    'monitor.down': 'Caído',
    'monitor.degraded': 'Degradado',
    'monitor.recovered': 'Recuperado',
    'oncall.escalated': 'Escalado',
    'oncall.acknowledged': 'Atendido',
    'oncall.resolved': 'Resuelto',
    'channel.test': 'Prueba',
  },
  facts: {
    status: 'Estado',
    impact: 'Impacto',
    affected: 'Afecta a',
    started: 'Inicio',
    resolved: 'Resuelto',
    lasted: 'Duración',
    posted: 'Publicado',
    from: 'Desde',
    until: 'Hasta',
    completed: 'Terminado',
    cancelled: 'Cancelado',
    since: 'Desde',
    severity: 'Gravedad',
    schedule: 'Guardia',
    told: 'Avisados',
    acknowledged: 'Atendido',
  },
  maintenanceUpdated: 'Mantenimiento actualizado',
  flapping: 'El estado cambia sin cesar: le avisaremos cuando sea estable.',
  severities: { critical: 'CRÍTICO', warning: 'ADVERTENCIA' },
  view: {
    incident: 'Ver el incidente',
    maintenance: 'Ver el mantenimiento',
    monitor: 'Ver la página de estado',
    alert: 'Ver el incidente',
  },
  coveredUpdates: (count) =>
    count === 1
      ? 'Incluye 1 actualización anterior.'
      : `Incluye ${count} actualizaciones anteriores.`,
  several: (count) => `${count} cambios`,
  andMore: (count) => `y ${count} más`,
  lasted(minutes) {
    if (minutes < 1) return 'menos de un minuto'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (organizationName) =>
    `Recibe este mensaje porque está suscrito a ${organizationName}.`,
  channelOf: (channelName, organizationName) =>
    `Enviado por el canal de notificaciones «${channelName}» de ${organizationName}.`,
  manage: 'Gestionar o darse de baja',
  confirmation: {
    subject: (pageName) => `Confirme su suscripción a ${pageName}`,
    question: (pageName) => `¿Quiere recibir notificaciones de estado de ${pageName}?`,
    validUntil: (time) =>
      `No se envía nada antes de que confirme. El enlace es válido hasta ${time}.`,
    action: 'Confirmar',
    knownSubject: (pageName) => `Su suscripción a ${pageName}`,
    known: (pageName) => `Esta dirección ya recibe notificaciones de estado de ${pageName}.`,
    footer: (address, site) =>
      `Alguien, probablemente usted, indicó ${address} en ${site}. Si no fue usted, no haga nada.`,
  },
  textHelp: (organizationName) =>
    `${organizationName}: notificaciones de estado. Responda STOP para dejar de recibirlas, START para volver a recibirlas.`,
  test: {
    title: (channelName) => `Prueba de ${channelName}`,
    message: 'Esto es una prueba. Si puede leerla, el canal funciona.',
    component: 'Ejemplo',
  },
}
