/** Spanish texts of the command palette and the shortcuts. */
import type { palette as model } from '../en/palette.ts'

export const palette: typeof model = {
  title: 'Búsqueda y acciones',
  search: 'Buscar o elegir una acción',
  results: 'Resultados',
  empty: 'No se encontró nada',
  actions: 'Acciones',
  views: 'Vistas',
  incidents: 'Incidentes',
  components: 'Componentes',
  pages: 'Páginas de estado',
  shortcuts: 'Atajos de teclado',
  paletteKeys: 'Ctrl+K',
  singleKeys: 'Atajos de una tecla',
  singleKeysHint: 'Nunca actúan mientras escribe en un campo.',
}
