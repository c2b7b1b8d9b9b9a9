/** French texts of the command palette and the shortcuts. */
import type { palette as model } from '../en/palette.ts'

export const palette: typeof model = {
  title: 'Recherche et actions',
  search: 'Rechercher ou choisir une action',
  results: 'Résultats',
  empty: 'Aucun résultat',
  actions: 'Actions',
  views: 'Vues',
  incidents: 'Incidents',
  components: 'Composants',
  pages: 'Pages de statut',
  shortcuts: 'Raccourcis clavier',
  paletteKeys: 'Ctrl+K',
  singleKeys: 'Raccourcis à une touche',
  singleKeysHint: 'Ils n’agissent jamais pendant la saisie dans un champ.',
}
