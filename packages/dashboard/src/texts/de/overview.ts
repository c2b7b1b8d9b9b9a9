/** German texts of the overview. */
import type { overview as model } from '../en/overview.ts'

export const overview: typeof model = {
  title: 'Übersicht',
  updated: 'Stand: {time}',
  calm: 'Alle Komponenten sind in Betrieb',
  disrupted: { one: '{count} Komponente ist gestört', other: '{count} Komponenten sind gestört' },
  noComponents: 'Es gibt noch keine Komponenten',
  noComponentsHint:
    'Komponenten sind der Inhalt Ihrer Statusseite: Dienste, Endpunkte und Messwerte.',
  setUp: 'Einrichtung fortsetzen',
  none: 'Keine',
  clear: 'Nichts zu erledigen',
  incidents: 'Offene Störungen',
  overdue: {
    one: '{count} Aktualisierung ist überfällig',
    other: '{count} Aktualisierungen sind überfällig',
  },
  updateOverdue: 'Aktualisierung überfällig seit {time}',
  nextUpdate: 'Nächste Aktualisierung {time}',
  since: 'Seit {time}',
  disruptedComponents: 'Gestörte Komponenten',
  alerts: 'Unbestätigte Alarme',
  drafts: 'Entwürfe von Störungen',
  publishes: 'Wird veröffentlicht: {time}',
  notPublished: 'Noch nicht veröffentlicht',
  publish: 'Veröffentlichen',
  veto: 'Verwerfen',
  maintenances: 'Wartungen',
  starts: 'Beginn: {time}',
  ends: 'Ende: {time}',
  deliveries: 'Benachrichtigungen',
  pending: {
    one: '{count} Benachrichtigung steht aus',
    other: '{count} Benachrichtigungen stehen aus',
  },
  oldestPending: 'Die älteste seit {time}',
  exhausted: {
    one: '{count} Benachrichtigung in 24 Stunden fehlgeschlagen',
    other: '{count} Benachrichtigungen in 24 Stunden fehlgeschlagen',
  },
  deliveriesUnknown: 'Der Benachrichtigungsdienst antwortet nicht.',
  serviceLevels: 'Service-Level',
  breached: 'Verletzt',
  atRisk: 'Gefährdet',
  more: { one: '{count} weiterer Eintrag', other: '{count} weitere Einträge' },
}
