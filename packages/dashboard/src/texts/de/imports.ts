/** German texts of the import from Statuspage. */
import type { imports as model } from '../en/imports.ts'

export const imports: typeof model = {
  title: 'Aus Statuspage importieren',
  intro:
    'Seite, Komponenten, Störungen und Wartungen. Abonnenten erhalten keine Nachricht, und ein Import lässt sich wiederholen.',
  address: 'Von der Seite',
  url: 'Adresse der Seite',
  urlHint: 'Zum Beispiel https://status.example.com',
  apiKey: 'API-Schlüssel von Statuspage',
  apiKeyHint:
    'Freiwillig. Mit dem Schlüssel werden alle Störungen und die Farben importiert, ohne ihn die letzten 50 Störungen. Der Schlüssel wird nicht gespeichert.',
  read: 'Seite lesen',
  reading: 'Wird gelesen …',
  files: 'Aus Dateien',
  filesHint: 'JSON-Dokumente der API von Statuspage und der CSV-Export der Abonnenten.',
  choose: 'Dateien wählen',
  badFile: '{name} ist kein Dokument von Statuspage.',
  plan: 'Was importiert wird',
  imported: 'Was importiert wurde',
  done: 'Der Import ist abgeschlossen.',
  page: 'Seite',
  components: 'Komponenten',
  incidents: 'Störungen',
  maintenances: 'Wartungen',
  subscribers: 'Abonnenten',
  counts: '{created} neu, {updated} mit neuen Meldungen, {unchanged} unverändert',
  people: '{imported} importiert, {skipped} übersprungen, {failed} fehlgeschlagen',
  none: 'Keine',
  warnings: 'Angepasst oder ausgelassen',
  apply: 'Importieren',
  applying: 'Wird importiert …',
  back: 'Andere Quelle wählen',
}
