/** English texts of the import from Statuspage. */

export const imports = {
  title: 'Import from Statuspage',
  intro:
    'Page, components, incidents and maintenances. Nothing is sent to subscribers, and an import can be repeated.',
  address: 'From the page',
  url: 'Address of the page',
  urlHint: 'For example https://status.example.com',
  apiKey: 'API key of Statuspage',
  apiKeyHint:
    'Optional. With the key, all incidents and the colours are imported; without it, the latest 50 incidents. The key is not stored.',
  read: 'Read the page',
  reading: 'Reading …',
  files: 'From files',
  filesHint: 'JSON documents of the API of Statuspage, and the CSV export of the subscribers.',
  choose: 'Choose files',
  badFile: '{name} is not a document of Statuspage.',
  plan: 'What will be imported',
  imported: 'What was imported',
  done: 'The import is complete.',
  page: 'Page',
  components: 'Components',
  incidents: 'Incidents',
  maintenances: 'Maintenances',
  subscribers: 'Subscribers',
  counts: '{created} new, {updated} with new updates, {unchanged} unchanged',
  people: '{imported} imported, {skipped} skipped, {failed} failed',
  none: 'None',
  warnings: 'Adjusted or omitted',
  apply: 'Import',
  applying: 'Importing …',
  back: 'Choose another source',
}
