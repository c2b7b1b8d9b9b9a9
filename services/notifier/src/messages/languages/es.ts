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
    'sla.at-risk': 'Nivel de servicio en riesgo',
    'sla.breached': 'Nivel de servicio incumplido',
    'sla.recovered': 'Nivel de servicio recuperado',
    'sla.response-breached': 'Objetivo de respuesta incumplido',
    'sla.resolution-breached': 'Objetivo de resolución incumplido',
    'certificate.expiring': 'El certificado caduca pronto',
    'incident.update-overdue': 'Actualización atrasada',
    'incident-draft.created': 'Borrador de incidente',
    'incident-draft.publishing': 'El borrador se publicará automáticamente',
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
    raised: 'Repeticiones',
    escalates: 'Se escala',
    availability: 'Disponibilidad',
    target: 'Objetivo',
    budgetLeft: 'Presupuesto de errores restante',
    due: 'Vencimiento',
    expires: 'Caduca',
    daysLeft: 'Días restantes',
    publishes: 'Se publica',
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
  account: {
    invited: {
      subject: (organizationName) => `Únase a ${organizationName}`,
      line: (inviter, organizationName) => `${inviter} le invita a ${organizationName}.`,
      administrator: 'Un administrador',
      validUntil: (time) => `La invitación es válida hasta ${time}.`,
      fields: 'un nombre y una contraseña si aún no tiene cuenta',
    },
    reset: {
      subject: 'Establezca una contraseña nueva',
      line: 'Alguien, probablemente usted, pidió una contraseña nueva. Si no fue usted, ignore este mensaje.',
      validUntil: (time) => `El token sirve una sola vez, hasta ${time}.`,
    },
    verify: {
      subject: 'Verifique su dirección de correo',
      line: 'Se creó una cuenta con esta dirección. Si no fue usted, ignore este mensaje.',
      validUntil: (time) => `El token sirve una sola vez, hasta ${time}.`,
      fields: 'la cookie de su sesión',
    },
    warned: {
      subject: (organizationName) => `Aviso de seguridad de ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Alguien que conoce su contraseña ha introducido varias veces códigos de dos factores incorrectos. Si no fue usted, cambie su contraseña.',
        emergency_login:
          'Un propietario ha iniciado sesión con contraseña y segundo factor aunque el inicio de sesión único es obligatorio.',
        organization_deletion_requested:
          'Un propietario ha solicitado la eliminación de esta organización. Se eliminará al cabo de siete días; hasta entonces un propietario puede restaurarla.',
        organization_deletion_withdrawn:
          'Un propietario ha restaurado esta organización: no se eliminará.',
      },
      seen: (time, place) => `El ${time}, desde ${place}.`,
      unknownPlace: 'una dirección desconocida',
    },
    token: 'Token',
    callWith: (fields) => `con el token y ${fields}`,
    footer: (address, site) => `Recibe este mensaje porque alguien usó ${address} en ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escalado`,
    acknowledgedBy: (name) => `Atendido por ${name}`,
    nobody: 'nadie',
    times: (count) => `${count} veces`,
    acknowledge: 'Para atenderla, lo que detiene el escalado:',
    resolve: 'Para cerrarla:',
    footer: (organizationName) =>
      `Recibe este mensaje porque está de guardia para ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      count === 1
        ? 'Un destinatario ya no recibe nada'
        : `${count} destinatarios ya no reciben nada`,
    subscriber: (label) => `Suscriptor ${label}`,
    channel: (name) => `Canal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, desde ${time}`,
    reasons: {
      sms_stop: 'respondió STOP',
      hard_bounce: 'el buzón no existe',
      mailbox_full: 'el buzón sigue lleno',
      complaint: 'se denunció un mensaje como correo no deseado',
      invalid_number: 'el número no puede recibir mensajes de texto',
      unreachable: 'el teléfono sigue sin estar localizable',
      endpoint_gone: 'el punto de recepción dice que ya no existe',
      endpoint_failing: 'el punto de recepción falla desde hace cinco días',
    },
    remedy: (call, body) =>
      `Un suscriptor vuelve con ${call} y ${body}, un canal en cuanto se modifica o se activa de nuevo.`,
    footer: (organizationName) =>
      `Recibe este mensaje porque se ocupa de los suscriptores de ${organizationName}.`,
  },
  ownerFooter: (organizationName) =>
    `Recibe este mensaje porque es propietario de ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName}: notificaciones de estado. Responda STOP para dejar de recibirlas, START para volver a recibirlas.`,
  test: {
    title: (channelName) => `Prueba de ${channelName}`,
    message: 'Esto es una prueba. Si puede leerla, el canal funciona.',
    component: 'Ejemplo',
  },
}
