/** Phrases of messages in French. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const fr: MessagePhrases = {
  titled: (headline, title) => `${headline}\u00a0: ${title}`,
  link: (label, url) => `${label}\u00a0: ${url}`,
  maintenanceContent: {
    cancelled: 'Maintenance annulée',
    rescheduled: 'Maintenance reportée',
  },
  headlines: {
    'incident.reopened': 'Rouvert',
    'maintenance.scheduled': 'Maintenance planifiée',
    'maintenance.started': 'Maintenance démarrée',
    'maintenance.completed': 'Maintenance terminée',
    'maintenance.reminder': 'La maintenance commence bientôt',
    'monitor.down': 'En panne',
    'monitor.degraded': 'Dégradé',
    'monitor.recovered': 'Rétabli',
    'oncall.escalated': 'Escaladé',
    'oncall.acknowledged': 'Acquitté',
    'oncall.resolved': 'Résolu',
    'channel.test': 'Test',
    'sla.at-risk': 'SLA menacé',
    'sla.breached': 'SLA non respecté',
    'sla.recovered': 'SLA rétabli',
    'sla.response-breached': 'Délai de réponse dépassé',
    'sla.resolution-breached': 'Délai de résolution dépassé',
    'certificate.expiring': 'Le certificat expire bientôt',
    'incident.update-overdue': 'Mise à jour en retard',
    'incident-draft.created': 'Brouillon d’incident créé',
    'incident-draft.publishing': 'Le brouillon sera publié automatiquement',
  },
  facts: {
    status: 'État',
    impact: 'Impact',
    affected: 'Concerné',
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
    schedule: 'Planning d’astreinte',
    notified: 'Notifié',
    acknowledged: 'Acquitté',
    raised: 'Déclenchements',
    escalates: 'Escalade à',
    availability: 'Disponibilité',
    target: 'Objectif',
    budgetLeft: 'Budget d’erreur restant',
    due: 'Échéance',
    expires: 'Expiration',
    daysLeft: 'Jours restants',
    publishes: 'Publication à',
    page: 'Page',
    reason: 'Raison',
  },
  maintenanceUpdated: 'Maintenance mise à jour',
  flapping: 'L’état change fréquemment. Vous serez notifié dès qu’il sera stable.',
  severities: { critical: 'CRITIQUE', warning: 'AVERTISSEMENT' },
  view: {
    incident: 'Voir l’incident',
    maintenance: 'Voir la maintenance',
    monitor: 'Voir la page d’état',
    alert: 'Voir l’incident',
  },
  respond: 'Répondre',
  coveredUpdates: (count) =>
    count === 1
      ? 'Comprend 1 mise à jour antérieure.'
      : `Comprend ${count} mises à jour antérieures.`,
  several: (count) => `${count} mises à jour`,
  separator: ', ',
  andMore: (count) => `et ${count} de plus`,
  lasted(minutes) {
    if (minutes < 1) return 'moins d’une minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (senderName) => `Vous recevez ce message, car vous êtes abonné à ${senderName}.`,
  channelOf: (channelName, organizationName) =>
    `Envoyé par le canal de notification «\u00a0${channelName}\u00a0» de ${organizationName}.`,
  manage: 'Gérer ou se désabonner',
  confirmation: {
    subject: (pageName) => `Confirmez votre abonnement à ${pageName}`,
    question: (pageName) =>
      `Confirmez que vous souhaitez recevoir les notifications d’état de ${pageName}.`,
    validUntil: (time) =>
      `Aucune notification n’est envoyée avant votre confirmation. Le lien est valable jusqu’au ${time}.`,
    action: 'Confirmer l’abonnement',
    knownSubject: (pageName) => `Votre abonnement à ${pageName}`,
    known: (pageName) => `Cette adresse est déjà abonnée aux notifications d’état de ${pageName}.`,
    footer: (address, site) =>
      `Vous recevez cet e-mail, car ${address} a été saisie sur ${site}. Si ce n’était pas vous, ignorez cet e-mail.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `Invitation à rejoindre ${organizationName}`,
      line: (inviter, organizationName) =>
        `${inviter} vous a invité à rejoindre ${organizationName}.`,
      administrator: 'Un administrateur',
      validUntil: (time) => `Cette invitation est valable jusqu’au ${time}.`,
      action: 'Accepter l’invitation',
    },
    reset: {
      subject: 'Réinitialisez votre mot de passe',
      line: 'Une réinitialisation du mot de passe de votre compte a été demandée. Si ce n’était pas vous, ignorez cet e-mail.',
      validUntil: (time) => `Le lien est utilisable une seule fois et valable jusqu’au ${time}.`,
      action: 'Choisir un nouveau mot de passe',
    },
    verify: {
      subject: 'Vérifiez votre adresse e-mail',
      line: 'Un compte a été créé avec cette adresse. Si ce n’était pas vous, ignorez cet e-mail.',
      validUntil: (time) => `Le lien est utilisable une seule fois et valable jusqu’au ${time}.`,
      action: 'Confirmer l’adresse',
    },
    test: {
      subject: (organizationName) => `Message de test de ${organizationName}`,
      line: 'Les e-mails de cette installation arrivent à cette adresse. Vous avez demandé ce message dans le tableau de bord.',
    },
    warned: {
      subject: (organizationName) => `Alerte de sécurité de ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Votre mot de passe a été saisi correctement, suivi de plusieurs codes à deux facteurs incorrects. Si ce n’était pas vous, changez de mot de passe.',
        emergency_login:
          'Un propriétaire s’est connecté avec un mot de passe et un second facteur alors que l’authentification unique est imposée.',
        organization_deletion_requested:
          'Un propriétaire a demandé la suppression de cette organisation. Elle sera supprimée au bout de sept jours\u00a0; d’ici là, un propriétaire peut la rétablir.',
        organization_deletion_withdrawn:
          'Un propriétaire a rétabli cette organisation\u00a0: elle ne sera pas supprimée.',
      },
      seen: (time, place) => `Le ${time}, depuis ${place}.`,
      unknownPlace: 'adresse inconnue',
    },
    footer: (address, site) =>
      `Vous recevez cet e-mail, car ${address} a été utilisée sur ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escaladé`,
    acknowledgedBy: (name) => `Acquitté par ${name}`,
    noOne: 'personne',
    times: (count) => `${count} fois`,
    footer: (organizationName) =>
      `Vous recevez cet e-mail, car vous êtes d’astreinte pour ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      count === 1
        ? 'Les notifications à un destinataire ont été arrêtées'
        : `Les notifications à ${count} destinataires ont été arrêtées`,
    subscriber: (label) => `Abonné ${label}`,
    channel: (name) => `Canal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type})\u00a0: ${reason}, depuis le ${time}`,
    types: { email: 'e-mail' },
    reasons: {
      sms_stop: 'a répondu STOP',
      hard_bounce: 'la boîte de réception n’existe pas',
      mailbox_full: 'la boîte de réception est pleine',
      complaint: 'le destinataire a signalé un message comme indésirable',
      invalid_number: 'le numéro ne peut pas recevoir de SMS',
      unreachable: 'le téléphone est injoignable',
      endpoint_gone: 'le point de terminaison n’existe plus',
      endpoint_failing: 'le point de terminaison est en échec depuis cinq jours',
    },
    remedy:
      'Un abonné reçoit à nouveau les notifications après s’être réabonné sur la page d’état et avoir confirmé l’adresse\u00a0; après STOP, il répond d’abord START. Un canal fonctionne à nouveau lorsqu’un administrateur corrige ses paramètres ou l’active.',
    footer: (organizationName) =>
      `Vous recevez cet e-mail, car vous gérez les abonnés de ${organizationName}.`,
  },
  location: {
    headline: 'Emplacement privé sans contact',
    consequence:
      'Aucun agent de l’emplacement n’a envoyé de requête depuis 45 secondes. Ses vérifications n’ont pas lieu et le statut de ses composants reste inchangé.',
  },
  vendor: {
    headline: 'Page de statut d’un fournisseur sans données',
    consequence:
      'Le statut des composants qui la suivent reste inchangé jusqu’à ce que la page puisse être lue de nouveau.',
    reasons: {
      blocked: 'l’adresse n’est pas publique',
      dns_error: 'le nom d’hôte est introuvable',
      connect_error: 'le serveur refuse les connexions',
      tls_error: 'le certificat n’est pas valide',
      protocol_error: 'la réponse n’est pas du HTTP valide',
      timeout: 'pas de réponse à temps',
      too_large: 'le document dépasse 2 Mio',
      too_complex: 'le document est trop complexe',
      too_many_redirects: 'trop de redirections',
      error_response: 'le serveur a répondu par une erreur',
      unknown_format: 'le format du document est inconnu',
      component_not_found: 'la page n’a pas ce composant',
    },
  },
  ownerFooter: (organizationName) =>
    `Vous recevez cet e-mail, car vous êtes propriétaire de ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName} : notifications d'état. Répondez STOP pour vous désabonner, START pour vous réabonner.`,
  test: {
    title: (channelName) => `Notification de test pour ${channelName}`,
    message: 'Ceci est une notification de test. Le canal fonctionne.',
    component: 'Exemple',
  },
}
