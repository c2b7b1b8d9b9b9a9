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
    'sla.at-risk': 'Niveau de service menacé',
    'sla.breached': 'Niveau de service non respecté',
    'sla.recovered': 'Niveau de service rétabli',
    'sla.response-breached': 'Délai de réponse dépassé',
    'sla.resolution-breached': 'Délai de résolution dépassé',
    'certificate.expiring': 'Le certificat expire bientôt',
    'incident.update-overdue': 'Mise à jour en retard',
    'incident-draft.created': 'Brouillon d’incident',
    'incident-draft.publishing': 'Le brouillon sera publié automatiquement',
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
    raised: 'Déclenchée',
    escalates: 'Escalade',
    availability: 'Disponibilité',
    target: 'Objectif',
    budgetLeft: 'Budget d’erreur restant',
    due: 'Échéance',
    expires: 'Expiration',
    daysLeft: 'Jours restants',
    publishes: 'Publication',
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
  account: {
    invited: {
      subject: (organizationName) => `Rejoignez ${organizationName}`,
      line: (inviter, organizationName) =>
        `${inviter} vous invite à rejoindre ${organizationName}.`,
      administrator: 'Un administrateur',
      validUntil: (time) => `L’invitation est valable jusqu’au ${time}.`,
      fields: 'un nom et un mot de passe si vous n’avez pas encore de compte',
    },
    reset: {
      subject: 'Définissez un nouveau mot de passe',
      line: 'Quelqu’un, sans doute vous, a demandé un nouveau mot de passe. Si ce n’était pas vous, ignorez ce message.',
      validUntil: (time) => `Le jeton est valable une seule fois, jusqu’au ${time}.`,
    },
    verify: {
      subject: 'Vérifiez votre adresse e-mail',
      line: 'Un compte a été créé avec cette adresse. Si ce n’était pas vous, ignorez ce message.',
      validUntil: (time) => `Le jeton est valable une seule fois, jusqu’au ${time}.`,
      fields: 'le cookie de votre session',
    },
    warned: {
      subject: (organizationName) => `Avis de sécurité de ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Quelqu’un qui connaît votre mot de passe a saisi plusieurs fois un mauvais code à deux facteurs. Si ce n’était pas vous, changez de mot de passe.',
        emergency_login:
          'Un propriétaire s’est connecté par mot de passe et second facteur alors que l’authentification unique est imposée.',
        organization_deletion_requested:
          'Un propriétaire a demandé la suppression de cette organisation. Elle sera supprimée au bout de sept jours ; d’ici là, un propriétaire peut la rétablir.',
        organization_deletion_withdrawn:
          'Un propriétaire a rétabli cette organisation : elle ne sera pas supprimée.',
      },
      seen: (time, place) => `Le ${time}, depuis ${place}.`,
      unknownPlace: 'une adresse inconnue',
    },
    token: 'Jeton',
    callWith: (fields) => `avec le jeton et ${fields}`,
    footer: (address, site) =>
      `Vous recevez ce message car quelqu’un a utilisé ${address} sur ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escaladé`,
    acknowledgedBy: (name) => `Pris en charge par ${name}`,
    nobody: 'personne',
    times: (count) => `${count} fois`,
    acknowledge: 'Pour la prendre en charge, ce qui arrête l’escalade\u00a0:',
    resolve: 'Pour la clore\u00a0:',
    footer: (organizationName) =>
      `Vous recevez ce message car vous êtes d’astreinte pour ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      count === 1
        ? 'Un destinataire ne reçoit plus rien'
        : `${count} destinataires ne reçoivent plus rien`,
    subscriber: (label) => `Abonné ${label}`,
    channel: (name) => `Canal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type})\u00a0: ${reason}, depuis le ${time}`,
    reasons: {
      sms_stop: 'a répondu STOP',
      hard_bounce: 'la boîte aux lettres n’existe pas',
      mailbox_full: 'la boîte aux lettres reste pleine',
      complaint: 'un message a été signalé comme indésirable',
      invalid_number: 'le numéro ne peut pas recevoir de SMS',
      unreachable: 'le téléphone reste injoignable',
      endpoint_gone: 'le point de réception dit ne plus exister',
      endpoint_failing: 'le point de réception est en échec depuis cinq jours',
    },
    remedy: (call, body) =>
      `Un abonné revient par ${call} avec ${body}, un canal dès qu’il est modifié ou réactivé.`,
    footer: (organizationName) =>
      `Vous recevez ce message car vous vous occupez des abonnés de ${organizationName}.`,
  },
  ownerFooter: (organizationName) =>
    `Vous recevez ce message car vous êtes propriétaire de ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName} : notifications d'état. Répondez STOP pour les arrêter, START pour les recevoir à nouveau.`,
  test: {
    title: (channelName) => `Test de ${channelName}`,
    message: 'Ceci est un test. Si vous pouvez le lire, le canal fonctionne.',
    component: 'Exemple',
  },
}
