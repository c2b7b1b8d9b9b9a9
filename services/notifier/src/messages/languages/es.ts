/** Phrases of messages in Spanish. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const es: MessagePhrases = {
  titled: (headline, title) => `${headline}: ${title}`,
  link: (label, url) => `${label}: ${url}`,
  maintenanceContent: {
    cancelled: 'Mantenimiento cancelado',
    rescheduled: 'Mantenimiento reprogramado',
  },
  headlines: {
    'incident.reopened': 'Reabierto',
    'maintenance.scheduled': 'Mantenimiento programado',
    'maintenance.started': 'Mantenimiento iniciado',
    'maintenance.completed': 'Mantenimiento finalizado',
    'maintenance.reminder': 'El mantenimiento comienza en breve',
    'monitor.down': 'Caído',
    'monitor.degraded': 'Degradado',
    'monitor.recovered': 'Recuperado',
    'oncall.escalated': 'Escalado',
    'oncall.acknowledged': 'Confirmado',
    'oncall.resolved': 'Resuelto',
    'channel.test': 'Prueba',
    'sla.at-risk': 'SLA en riesgo',
    'sla.breached': 'SLA incumplido',
    'sla.recovered': 'SLA recuperado',
    'sla.response-breached': 'Objetivo de respuesta incumplido',
    'sla.resolution-breached': 'Objetivo de resolución incumplido',
    'certificate.expiring': 'El certificado caduca en breve',
    'incident.update-overdue': 'Actualización atrasada',
    'incident-draft.created': 'Borrador de incidente creado',
    'incident-draft.publishing': 'El borrador se publicará automáticamente',
  },
  facts: {
    status: 'Estado',
    impact: 'Impacto',
    affected: 'Afectado',
    started: 'Inicio',
    resolved: 'Resuelto',
    lasted: 'Duración',
    posted: 'Publicado',
    from: 'Desde',
    until: 'Hasta',
    completed: 'Finalizado',
    cancelled: 'Cancelado',
    since: 'Desde',
    severity: 'Gravedad',
    schedule: 'Turno de guardia',
    notified: 'Notificado a',
    acknowledged: 'Confirmado',
    raised: 'Activaciones',
    escalates: 'Se escala a las',
    availability: 'Disponibilidad',
    target: 'Objetivo',
    budgetLeft: 'Presupuesto de errores restante',
    due: 'Vencimiento',
    expires: 'Caduca',
    daysLeft: 'Días restantes',
    publishes: 'Se publica',
    page: 'Página',
    reason: 'Motivo',
  },
  maintenanceUpdated: 'Mantenimiento actualizado',
  flapping: 'El estado cambia con frecuencia. Recibirá una notificación cuando se estabilice.',
  severities: { critical: 'CRÍTICO', warning: 'ADVERTENCIA' },
  view: {
    incident: 'Ver incidente',
    maintenance: 'Ver mantenimiento',
    monitor: 'Ver página de estado',
    alert: 'Ver incidente',
  },
  respond: 'Responder',
  coveredUpdates: (count) =>
    count === 1
      ? 'Incluye 1 actualización anterior.'
      : `Incluye ${count} actualizaciones anteriores.`,
  several: (count) => `${count} actualizaciones`,
  separator: ', ',
  andMore: (count) => `y ${count} más`,
  lasted(minutes) {
    if (minutes < 1) return 'menos de un minuto'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (senderName) => `Recibe este mensaje porque se suscribió a ${senderName}.`,
  channelOf: (channelName, organizationName) =>
    `Enviado por el canal de notificaciones «${channelName}» de ${organizationName}.`,
  manage: 'Gestionar o cancelar la suscripción',
  confirmation: {
    subject: (pageName) => `Confirme su suscripción a ${pageName}`,
    question: (pageName) => `Confirme que desea recibir notificaciones de estado de ${pageName}.`,
    validUntil: (time) =>
      `No se enviará ninguna notificación hasta que confirme. El enlace es válido hasta ${time}.`,
    action: 'Confirmar suscripción',
    knownSubject: (pageName) => `Su suscripción a ${pageName}`,
    known: (pageName) =>
      `Esta dirección ya está suscrita a las notificaciones de estado de ${pageName}.`,
    footer: (address, site) =>
      `Recibe este correo porque se indicó ${address} en ${site}. Si no fue usted, ignore este correo.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `Invitación a ${organizationName}`,
      line: (inviter, organizationName) =>
        `${inviter} le ha invitado a unirse a ${organizationName}.`,
      administrator: 'Un administrador',
      validUntil: (time) => `Esta invitación es válida hasta ${time}.`,
      action: 'Aceptar la invitación',
    },
    reset: {
      subject: 'Restablezca su contraseña',
      line: 'Se ha solicitado restablecer la contraseña de su cuenta. Si no fue usted, ignore este correo.',
      validUntil: (time) => `El enlace solo se puede usar una vez y es válido hasta ${time}.`,
      action: 'Elegir una contraseña nueva',
    },
    verify: {
      subject: 'Verifique su dirección de correo electrónico',
      line: 'Se ha creado una cuenta con esta dirección. Si no fue usted, ignore este correo.',
      validUntil: (time) => `El enlace solo se puede usar una vez y es válido hasta ${time}.`,
      action: 'Confirmar dirección',
    },
    test: {
      subject: (organizationName) => `Mensaje de prueba de ${organizationName}`,
      line: 'Los correos de esta instalación llegan a esta dirección. Usted solicitó este mensaje en el panel de control.',
    },
    warned: {
      subject: (organizationName) => `Aviso de seguridad de ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Se introdujo correctamente su contraseña, seguida de varios códigos de dos factores incorrectos. Si no fue usted, cambie su contraseña.',
        emergency_login:
          'Un propietario ha iniciado sesión con contraseña y segundo factor, aunque el inicio de sesión único es obligatorio.',
        organization_deletion_requested:
          'Un propietario ha solicitado la eliminación de esta organización. Se eliminará al cabo de siete días; hasta entonces un propietario puede restaurarla.',
        organization_deletion_withdrawn:
          'Un propietario ha restaurado esta organización: no se eliminará.',
      },
      seen: (time, place) => `Hora: ${time}. Origen: ${place}.`,
      unknownPlace: 'dirección desconocida',
    },
    footer: (address, site) => `Recibe este correo porque se usó ${address} en ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escalado`,
    acknowledgedBy: (name) => `Confirmado por ${name}`,
    noOne: 'nadie',
    times: (count) => `${count} veces`,
    footer: (organizationName) =>
      `Recibe este correo porque está de guardia en ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      count === 1
        ? 'Se han detenido las notificaciones a un destinatario'
        : `Se han detenido las notificaciones a ${count} destinatarios`,
    subscriber: (label) => `Suscriptor ${label}`,
    channel: (name) => `Canal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, desde ${time}`,
    types: { email: 'correo electrónico' },
    reasons: {
      sms_stop: 'respondió STOP',
      hard_bounce: 'el buzón no existe',
      mailbox_full: 'el buzón está lleno',
      complaint: 'el destinatario marcó un mensaje como correo no deseado',
      invalid_number: 'el número no puede recibir SMS',
      unreachable: 'no se puede contactar con el teléfono',
      endpoint_gone: 'el endpoint ya no existe',
      endpoint_failing: 'el endpoint falla desde hace cinco días',
    },
    remedy:
      'Un suscriptor vuelve a recibir notificaciones cuando se suscribe de nuevo en la página de estado y confirma la dirección; después de STOP, primero debe responder START. Un canal vuelve a funcionar cuando un administrador corrige su configuración o lo habilita.',
    footer: (organizationName) =>
      `Recibe este correo porque gestiona los suscriptores de ${organizationName}.`,
  },
  location: {
    headline: 'Ubicación privada sin contacto',
    consequence:
      'Ningún agente de la ubicación ha enviado una solicitud en 45 segundos. Sus comprobaciones no se realizan y el estado de sus componentes no cambia.',
  },
  vendor: {
    headline: 'Página de estado de un proveedor sin datos',
    consequence:
      'El estado de los componentes que la siguen no cambia hasta que la página se pueda leer de nuevo.',
    reasons: {
      blocked: 'la dirección no es pública',
      dns_error: 'no se encontró el nombre de host',
      connect_error: 'el servidor no acepta conexiones',
      tls_error: 'el certificado no es válido',
      protocol_error: 'la respuesta no es HTTP válido',
      timeout: 'sin respuesta a tiempo',
      too_large: 'el documento supera los 2 MiB',
      too_complex: 'el documento es demasiado complejo',
      too_many_redirects: 'demasiadas redirecciones',
      error_response: 'el servidor respondió con un error',
      unknown_format: 'el documento tiene un formato desconocido',
      component_not_found: 'la página no tiene ese componente',
    },
  },
  ownerFooter: (organizationName) =>
    `Recibe este correo porque es propietario de ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName}: notificaciones de estado. Responda STOP para cancelar la suscripción, START para reactivarla.`,
  test: {
    title: (channelName) => `Notificación de prueba para ${channelName}`,
    message: 'Esta es una notificación de prueba. El canal funciona.',
    component: 'Ejemplo',
  },
}
