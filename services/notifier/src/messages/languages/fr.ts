/** French. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const fr: Language = {
  tag: 'fr',
  direction: 'ltr',
  titled: (headline, title) => `${headline}\u00a0: ${title}`,
  incidentStatuses: {
    investigating: 'En cours d’analyse',
    identified: 'Cause identifiée',
    monitoring: 'Sous surveillance',
    resolved: 'Résolu',
  },
  impacts: { minor: 'Mineur', major: 'Majeur', critical: 'Critique' },
  maintenanceStatuses: {
    scheduled: 'Planifiée',
    in_progress: 'En cours',
    verifying: 'En vérification',
    completed: 'Terminée',
    cancelled: 'Annulée',
  },
  maintenanceNews: {
    cancelled: 'Maintenance annulée',
    rescheduled: 'Maintenance reportée',
  },
  componentStatuses: {
    operational: 'Opérationnel',
    degraded_performance: 'Performances dégradées',
    partial_outage: 'Panne partielle',
    major_outage: 'Panne majeure',
    under_maintenance: 'En maintenance',
  },
  headlines: {
    'incident.reopened': 'Rouvert',
    'maintenance.scheduled': 'Maintenance planifiée',
    'maintenance.started': 'Maintenance commencée',
    'maintenance.completed': 'Maintenance terminée',
    'maintenance.reminder': 'La maintenance commence bientôt',
    'monitor.down': 'En panne',
    'monitor.degraded': 'Dégradé',
    'monitor.recovered': 'Rétabli',
    'oncall.escalated': 'Escaladé',
    'oncall.acknowledged': 'Pris en charge',
    'oncall.resolved': 'Résolu',
    'channel.test': 'Test',
  },
  facts: {
    status: 'État',
    impact: 'Impact',
    affected: 'Concerne',
    started: 'Début',
    resolved: 'Résolu',
    lasted: 'Durée',
    posted: 'Publié',
    from: 'De',
    until: 'À',
    completed: 'Terminé',
    cancelled: 'Annulé',
    since: 'Depuis',
    severity: 'Gravité',
    schedule: 'Astreinte',
    told: 'Prévenus',
    acknowledged: 'Pris en charge',
  },
  maintenanceUpdated: 'Maintenance mise à jour',
  flapping: 'L’état change sans cesse\u00a0: vous serez prévenu dès qu’il sera stable.',
  severities: { critical: 'CRITIQUE', warning: 'AVERTISSEMENT' },
  view: {
    incident: 'Voir l’incident',
    maintenance: 'Voir la maintenance',
    monitor: 'Voir la page d’état',
    alert: 'Voir l’incident',
  },
  coveredUpdates: (count) =>
    count === 1
      ? 'Comprend 1 mise à jour antérieure.'
      : `Comprend ${count} mises à jour antérieures.`,
  several: (count) => `${count} changements`,
  andMore: (count) => `et ${count} de plus`,
  lasted(minutes) {
    if (minutes < 1) return 'moins d’une minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (organizationName) =>
    `Vous recevez ce message car vous êtes abonné à ${organizationName}.`,
  channelOf: (channelName, organizationName) =>
    `Envoyé par le canal de notification «\u00a0${channelName}\u00a0» de ${organizationName}.`,
  manage: 'Gérer ou se désabonner',
  confirmation: {
    subject: (pageName) => `Confirmez votre abonnement à ${pageName}`,
    question: (pageName) =>
      `Souhaitez-vous recevoir les notifications d’état de ${pageName}\u00a0?`,
    validUntil: (time) =>
      `Rien n’est envoyé avant votre confirmation. Le lien est valable jusqu’au ${time}.`,
    action: 'Confirmer',
    knownSubject: (pageName) => `Votre abonnement à ${pageName}`,
    known: (pageName) => `Cette adresse reçoit déjà les notifications d’état de ${pageName}.`,
    footer: (address, site) =>
      `Quelqu’un, sans doute vous, a saisi ${address} sur ${site}. Si ce n’était pas vous, ne faites rien.`,
  },
  textHelp: (organizationName) =>
    `${organizationName} : notifications d'état. Répondez STOP pour les arrêter, START pour les recevoir à nouveau.`,
  test: {
    title: (channelName) => `Test de ${channelName}`,
    message: 'Ceci est un test. Si vous pouvez le lire, le canal fonctionne.',
    component: 'Exemple',
  },
}
