/** German texts of controls of the kit. */
import type { kit as model } from '../en/kit.ts'

export const kit: typeof model = {
  editor: {
    preview: 'Vorschau',
    marks: {
      bold: 'fett',
      italic: 'kursiv',
      code: 'Code',
      others: 'Listen, Zitate und Links',
    },
  },
  copy: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    failed: 'Der Text wurde nicht kopiert. Markieren und kopieren Sie ihn selbst.',
  },
  dialogs: { cancel: 'Abbrechen' },
  choices: {
    search: 'Optionen durchsuchen',
    none: 'Keine Option passt',
    more: 'Es gibt weitere Optionen. Suchen Sie danach.',
  },
  joins: {
    labelled: '{label}: {value}',
    separator: ', ',
    arrow: '→',
  },
}
