/** German texts of the vendors that components follow. */
import type { vendor as model } from '../en/vendor.ts'

export const vendor: typeof model = {
  title: 'Meldung des Anbieters',
  pending: 'Die Seite wird gelesen.',
  noData: 'Keine Daten',
  url: 'Statusseite des Anbieters',
  urlHint:
    'Adresse einer Statusseite (Statuspage, incident.io, Instatus und andere), ihres JSON oder eines RSS- oder Atom-Feeds; leer: keine',
  component: 'Komponente des Anbieters',
  componentHint: 'Name oder ID; leer: die ganze Seite',
  mode: 'Wirkung der Meldung',
  modes: {
    mirror: 'Status übernehmen',
    draft: 'Vorfall entwerfen',
    note: 'Nur anzeigen',
  },
  modeHints: {
    mirror: 'Der Status der Komponente folgt dem Anbieter.',
    draft:
      'Eine Störung beim Anbieter erzeugt den Entwurf eines Vorfalls; Statusseiten zeigen die Meldung nicht.',
    note: 'Statusseiten zeigen die Meldung neben der Komponente; ihr Status ändert sich nicht.',
  },
  errors: {
    blocked: 'Die Adresse ist nicht öffentlich',
    dns_error: 'Der Hostname wurde nicht gefunden',
    connect_error: 'Der Server nimmt keine Verbindungen an',
    tls_error: 'Das Zertifikat ist ungültig',
    protocol_error: 'Die Antwort ist ungültig',
    timeout: 'Keine rechtzeitige Antwort',
    too_large: 'Das Dokument ist größer als 2 MiB',
    too_complex: 'Das Dokument ist zu komplex',
    too_many_redirects: 'Zu viele Weiterleitungen',
    error_response: 'Der Server antwortete mit einem Fehler',
    unknown_format: 'Das Dokument hat kein bekanntes Format',
    component_not_found: 'Die Seite hat keine solche Komponente',
  },
}
