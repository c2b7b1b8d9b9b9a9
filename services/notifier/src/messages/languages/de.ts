/** German. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const de: Language = {
  tag: 'de',
  direction: 'ltr',
  titled: (headline, title) => `${headline}: ${title}`,
  incidentStatuses: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  impacts: { minor: 'Gering', major: 'Erheblich', critical: 'Kritisch' },
  maintenanceStatuses: {
    scheduled: 'Geplant',
    in_progress: 'Läuft',
    verifying: 'Wird geprüft',
    completed: 'Abgeschlossen',
    cancelled: 'Abgesagt',
  },
  maintenanceNews: {
    cancelled: 'Wartung abgesagt',
    rescheduled: 'Wartung verschoben',
  },
  componentStatuses: {
    operational: 'In Betrieb',
    degraded_performance: 'Beeinträchtigt',
    partial_outage: 'Teilausfall',
    major_outage: 'Ausfall',
    under_maintenance: 'In Wartung',
  },
  headlines: {
    'incident.reopened': 'Wieder aufgetreten',
    'maintenance.scheduled': 'Wartung geplant',
    'maintenance.started': 'Wartung begonnen',
    'maintenance.completed': 'Wartung abgeschlossen',
    'maintenance.reminder': 'Wartung beginnt bald',
    'monitor.down': 'Ausgefallen',
    'monitor.degraded': 'Beeinträchtigt',
    'monitor.recovered': 'Wieder in Betrieb',
    'oncall.escalated': 'Eskaliert',
    'oncall.acknowledged': 'Übernommen',
    'oncall.resolved': 'Behoben',
    'channel.test': 'Test',
    'sla.at-risk': 'Service-Level gefährdet',
    'sla.breached': 'Service-Level verletzt',
    'sla.recovered': 'Service-Level wieder eingehalten',
    'sla.response-breached': 'Reaktionsziel verfehlt',
    'sla.resolution-breached': 'Lösungsziel verfehlt',
    'certificate.expiring': 'Zertifikat läuft bald ab',
    'incident.update-overdue': 'Aktualisierung überfällig',
    'incident-draft.created': 'Störungsentwurf',
    'incident-draft.publishing': 'Entwurf wird automatisch veröffentlicht',
  },
  facts: {
    status: 'Status',
    impact: 'Auswirkung',
    affected: 'Betroffen',
    started: 'Begonnen',
    resolved: 'Behoben',
    lasted: 'Dauer',
    posted: 'Veröffentlicht',
    from: 'Von',
    until: 'Bis',
    completed: 'Abgeschlossen',
    cancelled: 'Abgesagt',
    since: 'Seit',
    severity: 'Schwere',
    schedule: 'Bereitschaft',
    told: 'Benachrichtigt',
    acknowledged: 'Übernommen',
    raised: 'Ausgelöst',
    escalates: 'Eskaliert',
    availability: 'Verfügbarkeit',
    target: 'Ziel',
    budgetLeft: 'Verbleibendes Fehlerbudget',
    due: 'Fällig',
    expires: 'Läuft ab',
    daysLeft: 'Verbleibende Tage',
    publishes: 'Veröffentlichung',
  },
  maintenanceUpdated: 'Wartung aktualisiert',
  flapping: 'Der Zustand wechselt ständig: Sie hören wieder von uns, sobald er stabil ist.',
  severities: { critical: 'KRITISCH', warning: 'WARNUNG' },
  view: {
    incident: 'Störung ansehen',
    maintenance: 'Wartung ansehen',
    monitor: 'Statusseite ansehen',
    alert: 'Störung ansehen',
  },
  coveredUpdates: (count) =>
    count === 1
      ? 'Enthält 1 frühere Aktualisierung.'
      : `Enthält ${count} frühere Aktualisierungen.`,
  several: (count) => `${count} Änderungen`,
  andMore: (count) => `und ${count} weitere`,
  lasted(minutes) {
    if (minutes < 1) return 'weniger als eine Minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (organizationName) =>
    `Sie erhalten diese Nachricht, weil Sie ${organizationName} abonniert haben.`,
  channelOf: (channelName, organizationName) =>
    `Gesendet vom Benachrichtigungskanal „${channelName}“ von ${organizationName}.`,
  manage: 'Verwalten oder abbestellen',
  confirmation: {
    subject: (pageName) => `Bestätigen Sie Ihr Abonnement von ${pageName}`,
    question: (pageName) => `Möchten Sie Statusmeldungen von ${pageName} erhalten?`,
    validUntil: (time) => `Bevor Sie bestätigen, wird nichts gesendet. Der Link gilt bis ${time}.`,
    action: 'Bestätigen',
    knownSubject: (pageName) => `Ihr Abonnement von ${pageName}`,
    known: (pageName) => `Diese Adresse erhält bereits Statusmeldungen von ${pageName}.`,
    footer: (address, site) =>
      `Jemand, vermutlich Sie, hat ${address} auf ${site} angegeben. Wenn Sie es nicht waren, müssen Sie nichts tun.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `Einladung zu ${organizationName}`,
      line: (inviter, organizationName) => `${inviter} lädt Sie zu ${organizationName} ein.`,
      administrator: 'Die Administration',
      validUntil: (time) => `Die Einladung gilt bis ${time}.`,
      fields: 'Name und Passwort, falls Sie noch kein Konto haben',
    },
    reset: {
      subject: 'Neues Passwort festlegen',
      line: 'Jemand, vermutlich Sie, hat ein neues Passwort angefordert. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail.',
      validUntil: (time) => `Das Token gilt einmal und bis ${time}.`,
    },
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      line: 'Mit dieser Adresse wurde ein Konto angelegt. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail.',
      validUntil: (time) => `Das Token gilt einmal und bis ${time}.`,
      fields: 'dem Cookie Ihrer Sitzung',
    },
    warned: {
      subject: (organizationName) => `Sicherheitshinweis von ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Jemand, der Ihr Passwort kennt, hat mehrmals falsche Codes für den zweiten Faktor eingegeben. Wenn Sie das nicht waren, ändern Sie Ihr Passwort.',
        emergency_login:
          'Eine Person mit Inhaberrechten hat sich mit Passwort und zweitem Faktor angemeldet, obwohl Single Sign-on vorgeschrieben ist.',
        organization_deletion_requested:
          'Eine Person mit Inhaberrechten hat die Löschung dieser Organisation beantragt. Sie wird nach sieben Tagen gelöscht; bis dahin kann eine Person mit Inhaberrechten sie wiederherstellen.',
        organization_deletion_withdrawn:
          'Eine Person mit Inhaberrechten hat diese Organisation wiederhergestellt: Sie wird nicht gelöscht.',
      },
      seen: (time, place) => `Zeit: ${time}. Herkunft: ${place}.`,
      unknownPlace: 'unbekannte Adresse',
    },
    token: 'Token',
    callWith: (fields) => `mit dem Token und ${fields}`,
    footer: (address, site) =>
      `Sie erhalten diese Nachricht, weil jemand ${address} auf ${site} verwendet hat.`,
  },
  alert: {
    escalated: (severity) => `${severity}, eskaliert`,
    acknowledgedBy: (name) => `Übernommen von ${name}`,
    nobody: 'niemand',
    times: (count) => `${count}-mal`,
    acknowledge: 'Übernehmen und damit die Eskalation anhalten:',
    resolve: 'Schließen:',
    footer: (organizationName) =>
      `Sie erhalten diese Nachricht, weil Sie für ${organizationName} Bereitschaft haben.`,
  },
  ended: {
    subject: (count) =>
      count === 1 ? 'Ein Empfänger erhält nichts mehr' : `${count} Empfänger erhalten nichts mehr`,
    subscriber: (label) => `Abonnent ${label}`,
    channel: (name) => `Kanal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, seit ${time}`,
    reasons: {
      sms_stop: 'hat mit STOP geantwortet',
      hard_bounce: 'das Postfach gibt es nicht',
      mailbox_full: 'das Postfach bleibt voll',
      complaint: 'eine Nachricht wurde als Spam gemeldet',
      invalid_number: 'die Nummer kann keine Textnachrichten empfangen',
      unreachable: 'das Telefon bleibt unerreichbar',
      endpoint_gone: 'der Endpunkt meldet, dass es ihn nicht mehr gibt',
      endpoint_failing: 'der Endpunkt versagt seit fünf Tagen',
    },
    remedy: (call, body) =>
      `Ein Abonnent kommt durch ${call} mit ${body} zurück, ein Kanal, sobald er geändert oder wieder eingeschaltet wird.`,
    footer: (organizationName) =>
      `Sie erhalten diese Nachricht, weil Sie sich um die Abonnenten von ${organizationName} kümmern.`,
  },
  ownerFooter: (organizationName) =>
    `Sie erhalten diese Nachricht, weil Ihnen ${organizationName} gehört.`,
  textHelp: (organizationName) =>
    `${organizationName}: Statusmeldungen. Antworten Sie STOP, um sie zu beenden, START, um sie wieder zu erhalten.`,
  test: {
    title: (channelName) => `Test von ${channelName}`,
    message: 'Dies ist ein Test. Wenn Sie ihn lesen können, funktioniert der Kanal.',
    component: 'Beispiel',
  },
}
