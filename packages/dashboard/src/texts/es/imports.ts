/** Spanish texts of the import from Statuspage. */
import type { imports as model } from '../en/imports.ts'

export const imports: typeof model = {
  title: 'Importar de Statuspage',
  intro:
    'Página, componentes, incidentes y mantenimientos. No se envía nada a los suscriptores, y una importación se puede repetir.',
  address: 'Desde la página',
  url: 'Dirección de la página',
  urlHint: 'Por ejemplo https://status.example.com',
  apiKey: 'Clave de API de Statuspage',
  apiKeyHint:
    'Opcional. Con la clave se importan todos los incidentes y los colores; sin ella, los últimos 50 incidentes. La clave no se guarda.',
  read: 'Leer la página',
  reading: 'Leyendo …',
  files: 'Desde archivos',
  filesHint: 'Documentos JSON de la API de Statuspage y la exportación CSV de los suscriptores.',
  choose: 'Elegir archivos',
  badFile: '{name} no es un documento de Statuspage.',
  plan: 'Qué se importará',
  imported: 'Qué se importó',
  done: 'La importación ha terminado.',
  page: 'Página',
  components: 'Componentes',
  incidents: 'Incidentes',
  maintenances: 'Mantenimientos',
  subscribers: 'Suscriptores',
  counts: '{created} nuevos, {updated} con actualizaciones nuevas, {unchanged} sin cambios',
  people: '{imported} importados, {skipped} omitidos, {failed} con error',
  none: 'Ninguno',
  warnings: 'Adaptado u omitido',
  apply: 'Importar',
  applying: 'Importando …',
  back: 'Elegir otra fuente',
}
