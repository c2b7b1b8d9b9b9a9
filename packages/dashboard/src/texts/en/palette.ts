/** English texts of the command palette and the shortcuts. */
export const palette = {
  title: 'Search and actions',
  search: 'Search, or choose an action',
  results: 'Results',
  empty: 'Nothing found',
  actions: 'Actions',
  views: 'Views',
  incidents: 'Incidents',
  components: 'Components',
  pages: 'Status pages',
  shortcuts: 'Keyboard shortcuts',
  paletteKeys: 'Ctrl+K',
  singleKeys: 'Single-key shortcuts',
  singleKeysHint: 'Shortcuts of one key never act while you type in a field.',
}
