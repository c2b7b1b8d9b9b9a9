/** French texts of the import from Statuspage. */
import type { imports as model } from '../en/imports.ts'

export const imports: typeof model = {
  title: 'Importer depuis Statuspage',
  intro:
    'Page, composants, incidents et maintenances. Rien n’est envoyé aux abonnés, et un import peut être répété.',
  address: 'Depuis la page',
  url: 'Adresse de la page',
  urlHint: 'Par exemple https://status.example.com',
  apiKey: 'Clé d’API de Statuspage',
  apiKeyHint:
    'Facultatif. Avec la clé, tous les incidents et les couleurs sont importés\u00a0; sans elle, les 50 derniers incidents. La clé n’est pas enregistrée.',
  read: 'Lire la page',
  reading: 'Lecture en cours …',
  files: 'Depuis des fichiers',
  filesHint: 'Documents JSON de l’API de Statuspage et export CSV des abonnés.',
  choose: 'Choisir des fichiers',
  badFile: '{name} n’est pas un document de Statuspage.',
  plan: 'Ce qui sera importé',
  imported: 'Ce qui a été importé',
  done: 'L’import est terminé.',
  page: 'Page',
  components: 'Composants',
  incidents: 'Incidents',
  maintenances: 'Maintenances',
  subscribers: 'Abonnés',
  counts: '{created} nouveaux, {updated} avec de nouvelles mises à jour, {unchanged} inchangés',
  people: '{imported} importés, {skipped} ignorés, {failed} en échec',
  none: 'Aucun',
  warnings: 'Adapté ou omis',
  apply: 'Importer',
  applying: 'Import en cours …',
  back: 'Choisir une autre source',
}
