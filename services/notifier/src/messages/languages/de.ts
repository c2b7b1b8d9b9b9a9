/** Phrases of messages in German. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const de: MessagePhrases = {
  titled: (headline, title) => `${headline}: ${title}`,
  link: (label, url) => `${label}: ${url}`,
  maintenanceContent: {
    cancelled: 'Wartung abgesagt',
    rescheduled: 'Wartung verschoben',
  },
  headlines: {
    'incident.reopened': 'Erneut geöffnet',
    'maintenance.scheduled': 'Wartung geplant',
    'maintenance.started': 'Wartung gestartet',
    'maintenance.completed': 'Wartung abgeschlossen',
    'maintenance.reminder': 'Wartung beginnt in Kürze',
    'monitor.down': 'Ausgefallen',
    'monitor.degraded': 'Beeinträchtigt',
    'monitor.recovered': 'Wiederhergestellt',
    'oncall.escalated': 'Eskaliert',
    'oncall.acknowledged': 'Bestätigt',
    'oncall.resolved': 'Behoben',
    'channel.test': 'Test',
    'sla.at-risk': 'SLA gefährdet',
    'sla.breached': 'SLA verletzt',
    'sla.recovered': 'SLA wieder eingehalten',
    'sla.response-breached': 'Reaktionsziel verfehlt',
    'sla.resolution-breached': 'Lösungsziel verfehlt',
    'certificate.expiring': 'Zertifikat läuft bald ab',
    'incident.update-overdue': 'Update überfällig',
    'incident-draft.created': 'Störungsentwurf erstellt',
    'incident-draft.publishing': 'Entwurf wird automatisch veröffentlicht',
  },
  facts: {
    status: 'Status',
    impact: 'Auswirkung',
    affected: 'Betroffen',
    started: 'Beginn',
    resolved: 'Behoben',
    lasted: 'Dauer',
    posted: 'Veröffentlicht',
    from: 'Von',
    until: 'Bis',
    completed: 'Abgeschlossen',
    cancelled: 'Abgesagt',
    since: 'Seit',
    severity: 'Schweregrad',
    schedule: 'Bereitschaftsplan',
    notified: 'Benachrichtigt',
    acknowledged: 'Bestätigt',
    raised: 'Ausgelöst',
    escalates: 'Eskalation um',
    availability: 'Verfügbarkeit',
    target: 'Ziel',
    budgetLeft: 'Verbleibendes Fehlerbudget',
    due: 'Fällig',
    expires: 'Läuft ab',
    daysLeft: 'Verbleibende Tage',
    publishes: 'Veröffentlichung um',
    page: 'Seite',
    reason: 'Grund',
  },
  maintenanceUpdated: 'Wartung aktualisiert',
  flapping: 'Der Status wechselt häufig. Sie werden benachrichtigt, sobald er stabil ist.',
  severities: { critical: 'KRITISCH', warning: 'WARNUNG' },
  view: {
    incident: 'Störung anzeigen',
    maintenance: 'Wartung anzeigen',
    monitor: 'Statusseite anzeigen',
    alert: 'Störung anzeigen',
  },
  respond: 'Reagieren',
  coveredUpdates: (count) =>
    count === 1
      ? 'Enthält 1 frühere Aktualisierung.'
      : `Enthält ${count} frühere Aktualisierungen.`,
  several: (count) => `${count} Updates`,
  separator: ', ',
  andMore: (count) => `und ${count} weitere`,
  lasted(minutes) {
    if (minutes < 1) return 'weniger als eine Minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (senderName) =>
    `Sie erhalten diese Nachricht, weil Sie ${senderName} abonniert haben.`,
  channelOf: (channelName, organizationName) =>
    `Gesendet vom Benachrichtigungskanal „${channelName}“ von ${organizationName}.`,
  manage: 'Verwalten oder abbestellen',
  confirmation: {
    subject: (pageName) => `Bestätigen Sie Ihr Abonnement von ${pageName}`,
    question: (pageName) =>
      `Bestätigen Sie, dass Sie Statusmeldungen von ${pageName} erhalten möchten.`,
    validUntil: (time) =>
      `Bis zu Ihrer Bestätigung werden keine Meldungen gesendet. Der Link ist bis ${time} gültig.`,
    action: 'Abonnement bestätigen',
    knownSubject: (pageName) => `Ihr Abonnement von ${pageName}`,
    known: (pageName) => `Diese Adresse hat die Statusmeldungen von ${pageName} bereits abonniert.`,
    footer: (address, site) =>
      `Sie erhalten diese E-Mail, weil ${address} auf ${site} angegeben wurde. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `Einladung zu ${organizationName}`,
      line: (inviter, organizationName) => `${inviter} hat Sie zu ${organizationName} eingeladen.`,
      administrator: 'Ein Administrator',
      validUntil: (time) => `Die Einladung ist bis ${time} gültig.`,
      action: 'Einladung annehmen',
    },
    reset: {
      subject: 'Passwort zurücksetzen',
      line: 'Für Ihr Konto wurde das Zurücksetzen des Passworts angefordert. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.',
      validUntil: (time) => `Der Link kann einmal verwendet werden und ist bis ${time} gültig.`,
      action: 'Neues Passwort wählen',
    },
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      line: 'Mit dieser Adresse wurde ein Konto erstellt. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.',
      validUntil: (time) => `Der Link kann einmal verwendet werden und ist bis ${time} gültig.`,
      action: 'Adresse bestätigen',
    },
    test: {
      subject: (organizationName) => `Testnachricht von ${organizationName}`,
      line: 'E-Mails dieser Installation kommen unter dieser Adresse an. Sie haben diese Nachricht im Dashboard angefordert.',
    },
    warned: {
      subject: (organizationName) => `Sicherheitshinweis von ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Ihr Passwort wurde richtig eingegeben, danach mehrmals ein falscher Code für den zweiten Faktor. Wenn Sie das nicht waren, ändern Sie Ihr Passwort.',
        emergency_login:
          'Ein Inhaber hat sich mit Passwort und zweitem Faktor angemeldet, obwohl Single Sign-on vorgeschrieben ist.',
        organization_deletion_requested:
          'Eine Person mit Inhaberrechten hat die Löschung dieser Organisation beantragt. Sie wird nach sieben Tagen gelöscht; bis dahin kann eine Person mit Inhaberrechten sie wiederherstellen.',
        organization_deletion_withdrawn:
          'Eine Person mit Inhaberrechten hat diese Organisation wiederhergestellt: Sie wird nicht gelöscht.',
      },
      seen: (time, place) => `Zeit: ${time}. Herkunft: ${place}.`,
      unknownPlace: 'unbekannte Adresse',
    },
    footer: (address, site) =>
      `Sie erhalten diese E-Mail, weil ${address} auf ${site} verwendet wurde.`,
  },
  alert: {
    escalated: (severity) => `${severity}, eskaliert`,
    acknowledgedBy: (name) => `Bestätigt von ${name}`,
    noOne: 'niemand',
    times: (count) => `${count}-mal`,
    footer: (organizationName) =>
      `Sie erhalten diese E-Mail, weil Sie Bereitschaft für ${organizationName} haben.`,
  },
  ended: {
    subject: (count) =>
      count === 1
        ? 'Benachrichtigungen an einen Empfänger wurden eingestellt'
        : `Benachrichtigungen an ${count} Empfänger wurden eingestellt`,
    subscriber: (label) => `Abonnent ${label}`,
    channel: (name) => `Kanal ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, seit ${time}`,
    types: { email: 'E-Mail' },
    reasons: {
      sms_stop: 'hat mit STOP geantwortet',
      hard_bounce: 'das Postfach existiert nicht',
      mailbox_full: 'das Postfach ist voll',
      complaint: 'der Empfänger hat eine Nachricht als Spam gemeldet',
      invalid_number: 'die Nummer kann keine SMS empfangen',
      unreachable: 'das Telefon ist nicht erreichbar',
      endpoint_gone: 'der Endpunkt existiert nicht mehr',
      endpoint_failing: 'der Endpunkt schlägt seit fünf Tagen fehl',
    },
    remedy:
      'Ein Abonnent erhält wieder Benachrichtigungen, wenn er die Statusseite erneut abonniert und die Adresse bestätigt; nach STOP antwortet er zuerst mit START. Ein Kanal funktioniert wieder, wenn ein Administrator seine Einstellungen korrigiert oder ihn aktiviert.',
    footer: (organizationName) =>
      `Sie erhalten diese E-Mail, weil Sie die Abonnenten von ${organizationName} verwalten.`,
  },
  location: {
    headline: 'Privater Standort ohne Verbindung',
    consequence:
      'Kein Agent des Standorts hat in den letzten 45 Sekunden eine Anfrage gesendet. Seine Prüfungen finden nicht statt, und der Status seiner Komponenten bleibt unverändert.',
  },
  vendor: {
    headline: 'Statusseite eines Anbieters ohne Daten',
    consequence:
      'Der Status der Komponenten, die ihr folgen, bleibt unverändert, bis die Seite wieder gelesen werden kann.',
    reasons: {
      blocked: 'die Adresse ist nicht öffentlich',
      dns_error: 'der Hostname wurde nicht gefunden',
      connect_error: 'der Server nimmt keine Verbindungen an',
      tls_error: 'das Zertifikat ist ungültig',
      protocol_error: 'die Antwort ist kein gültiges HTTP',
      timeout: 'keine rechtzeitige Antwort',
      too_large: 'das Dokument ist größer als 2 MiB',
      too_complex: 'das Dokument ist zu komplex',
      too_many_redirects: 'zu viele Weiterleitungen',
      error_response: 'der Server antwortete mit einem Fehler',
      unknown_format: 'das Dokument hat kein bekanntes Format',
      component_not_found: 'die Seite hat keine solche Komponente',
    },
  },
  ownerFooter: (organizationName) =>
    `Sie erhalten diese E-Mail, weil Sie Inhaber von ${organizationName} sind.`,
  textHelp: (organizationName) =>
    `${organizationName}: Statusmeldungen. Antworten Sie STOP zum Abbestellen, START zum erneuten Abonnieren.`,
  test: {
    title: (channelName) => `Testnachricht für ${channelName}`,
    message: 'Dies ist eine Testnachricht. Der Kanal funktioniert.',
    component: 'Beispiel',
  },
}
