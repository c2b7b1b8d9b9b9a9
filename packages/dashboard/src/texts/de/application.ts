/** German texts of the frame, and of states and actions of every view. */
import type { application as model } from '../en/application.ts'

export const application: typeof model = {
  product: 'Status',
  skipToContent: 'Zum Hauptinhalt springen',
  navigation: {
    label: 'Hauptnavigation',
    overview: 'Übersicht',
    incidents: 'Störungen',
    components: 'Komponenten',
    start: 'Einrichtung',
    maintenances: 'Wartungen',
    pages: 'Statusseiten',
    subscribers: 'Abonnenten',
    channels: 'Kanäle',
    deliveries: 'Zustellungen',
    onCall: 'Bereitschaft',
    serviceLevels: 'Service-Level',
    integrations: 'Integrationen',
    configuration: 'Konfiguration',
    people: 'Personen',
    keys: 'API-Schlüssel',
    locations: 'Private Standorte',
    organization: 'Organisation',
    auditLog: 'Audit-Log',
    more: 'Mehr',
    close: 'Schließen',
    groups: {
      communication: 'Kommunikation',
      reliability: 'Zuverlässigkeit',
      settings: 'Einstellungen',
    },
  },
  account: {
    menu: 'Konto und Einstellungen',
    organization: 'Organisation',
    appearance: 'Darstellung',
    system: 'Wie das System',
    light: 'Hell',
    dark: 'Dunkel',
    language: 'Sprache',
    settings: 'Konto',
    documentation: 'API-Dokumentation',
    signOut: 'Abmelden',
  },
  actions: {
    retry: 'Erneut versuchen',
    reload: 'Neu laden',
    saving: 'Wird gespeichert …',
    remove: 'Entfernen',
    skip: 'Schritt überspringen',
    next: 'Nächster Schritt',
    openPage: 'Seite öffnen',
  },
  pages: {
    label: 'Seiten',
    previous: 'Vorherige Seite',
    next: 'Nächste Seite',
    position: 'Seite {page} von {pages}',
  },
  image: {
    address: 'Adresse des Bildes',
    choose: 'Datei wählen',
    uploading: 'Wird hochgeladen …',
    remove: 'Entfernen',
  },
  states: {
    loading: 'Wird geladen …',
    offline:
      'Sie sind offline. Die Daten können veraltet sein; Änderungen werden gesendet, sobald Sie online sind.',
    stale: 'Die Daten können veraltet sein: keine Verbindung zum Dienst seit {time}.',
    notFound: 'Seite nicht gefunden',
    notFoundHint: 'Die Adresse ist falsch, oder der Eintrag gehört nicht zu Ihrer Organisation.',
    toOverview: 'Zur Übersicht',
    noPermission: 'Keine Berechtigung',
    noPermissionHint:
      'Ihre Rolle erlaubt dies nicht. Wenden Sie sich an einen Inhaber der Organisation.',
    unexpected: 'Diese Ansicht konnte nicht angezeigt werden',
    unexpectedHint:
      'Es wurde nichts geändert. Laden Sie die Ansicht erneut; melden Sie den Fehler, wenn er bleibt.',
    loadFailed: 'Dieser Teil des Dashboards konnte nicht geladen werden',
    loadFailedHint:
      'Die Verbindung ist gestört, oder eine neue Version ist installiert. Nicht gesendeter Text bleibt erhalten. Der Teil lädt erneut, sobald Sie online sind.',
    unreachable: 'Der Dienst ist nicht erreichbar',
    unreachableHint:
      'Prüfen Sie Ihre Verbindung. Die Ansicht wird geladen, sobald der Dienst antwortet.',
    requestId: 'Anfrage {id}',
    sessionEnded: 'Ihre Sitzung ist beendet',
    sessionEndedHint:
      'Melden Sie sich in einem neuen Tab erneut an. Diese Seite bleibt mit allen Eingaben, wie sie ist.',
    signIn: 'Anmelden',
    signedIn: 'Sie sind angemeldet. Sie können diesen Tab schließen.',
    conflict:
      'Der Eintrag wurde inzwischen geändert. Laden Sie ihn erneut und wiederholen Sie Ihre Änderung.',
    tooMany: 'Zu viele Anfragen. Versuchen Sie es in {seconds} s erneut.',
  },
}
