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
  textHelp: (organizationName) =>
    `${organizationName}: Statusmeldungen. Antworten Sie STOP, um sie zu beenden, START, um sie wieder zu erhalten.`,
  test: {
    title: (channelName) => `Test von ${channelName}`,
    message: 'Dies ist ein Test. Wenn Sie ihn lesen können, funktioniert der Kanal.',
    component: 'Beispiel',
  },
}
