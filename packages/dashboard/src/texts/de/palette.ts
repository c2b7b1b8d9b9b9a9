/** German texts of the command palette and the shortcuts. */
import type { palette as model } from '../en/palette.ts'

export const palette: typeof model = {
  title: 'Suche und Aktionen',
  search: 'Suchen oder eine Aktion wählen',
  results: 'Ergebnisse',
  empty: 'Nichts gefunden',
  actions: 'Aktionen',
  views: 'Ansichten',
  incidents: 'Störungen',
  components: 'Komponenten',
  pages: 'Statusseiten',
  shortcuts: 'Tastenkürzel',
  paletteKeys: 'Strg+K',
  singleKeys: 'Kürzel mit einer Taste',
  singleKeysHint: 'Sie wirken nie, während Sie in ein Feld schreiben.',
}
